import { err, ok, type Result } from 'neverthrow';
import { Source, Unreadable, type Place } from './source.ts';
import { Tokens } from './tokens.ts';

export type TextScalar = { readonly place: Place } & (
  | { readonly kind: 'text'; readonly bytes: Uint8Array }
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'integer'; readonly value: bigint; readonly signed: boolean }
  | { readonly kind: 'float' }
);
export type TextMessage = {
  readonly kind: 'message';
  readonly fields: readonly TextField[];
  readonly place: Place;
};
export type TextValue = TextScalar | TextMessage;
/** One occurrence of a field. `isList`: the values stand in brackets. */
export type TextField = {
  readonly name: string;
  readonly place: Place;
  readonly hasColon: boolean;
  readonly isList: boolean;
  readonly values: readonly TextValue[];
};
export type TextProblem = { readonly place: Place; readonly message: string };

/** Messages inside messages, the outermost included. */
const DEPTH_MAX = 100;

const scalar = (tokens: Tokens): TextScalar => {
  const first = tokens.next();
  const signed = first.kind === 'sign' && first.sign === '-';
  const token = signed ? tokens.next() : first;
  const { place } = first;
  if (token.kind === 'integer')
    return { kind: 'integer', value: signed ? -token.value : token.value, signed, place };
  if (token.kind === 'float') return { kind: 'float', place };
  if (signed) return tokens.expected('a number', token);
  if (token.kind === 'word') return { kind: 'word', word: token.word, place };
  if (token.kind !== 'text') return tokens.expected('a value', token);
  const parts = [token.bytes];
  for (let more = tokens.peek(); more.kind === 'text'; more = tokens.peek()) {
    parts.push(more.bytes);
    tokens.next();
  }
  return { kind: 'text', bytes: joined(parts), place };
};
const joined = (parts: readonly Uint8Array[]): Uint8Array => {
  if (parts.length === 1) return parts[0]!;
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

const value = (tokens: Tokens, depth: number): TextValue => {
  const open = tokens.peek();
  if (tokens.skip('{')) return message(tokens, '}', open.place, depth + 1);
  if (tokens.skip('<')) return message(tokens, '>', open.place, depth + 1);
  return scalar(tokens);
};
const list = (tokens: Tokens, depth: number): readonly TextValue[] => {
  const values: TextValue[] = [];
  if (tokens.skip(']')) return values;
  for (;;) {
    values.push(value(tokens, depth));
    if (tokens.skip(']')) return values;
    if (!tokens.skip(',')) return tokens.expected('"," or "]"', tokens.peek());
  }
};
const field = (tokens: Tokens, depth: number): TextField => {
  const name = tokens.next();
  if (name.kind !== 'word') return tokens.expected('the name of a field', name);
  const hasColon = tokens.skip(':');
  const isList = tokens.skip('[');
  const values = isList ? list(tokens, depth) : [value(tokens, depth)];
  return { name: name.word, place: name.place, hasColon, isList, values };
};
const message = (tokens: Tokens, close: '}' | '>' | undefined, place: Place, depth: number): TextMessage => {
  if (depth > DEPTH_MAX) throw new Unreadable(place, `at most ${DEPTH_MAX} messages inside each other`);
  const fields: TextField[] = [];
  for (;;) {
    const token = tokens.peek();
    if (close !== undefined && tokens.skip(close)) break;
    if (token.kind === 'end') {
      if (close === undefined) break;
      return tokens.expected(`"${close}" for the message that begins in line ${place.line}`, token);
    }
    fields.push(field(tokens, depth));
    tokens.skip(',', ';');
  }
  return { kind: 'message', fields, place };
};

/** Reads protobuf's text format without a schema. The first mistake ends the reading. */
export const parseText = (text: string): Result<TextMessage, TextProblem> => {
  try {
    return ok(message(new Tokens(new Source(text)), undefined, { line: 1, column: 1 }, 1));
  } catch (problem) {
    if (!(problem instanceof Unreadable)) throw problem;
    return err({ place: problem.place, message: problem.message });
  }
};

import { isDigit, isLetter, isWordPart } from './characters.ts';
import { numberLiteral } from './number-literal.ts';
import type { Place, Source } from './source.ts';
import { stringLiteral } from './string-literal.ts';

const SIGNS = ['{', '}', '<', '>', '[', ']', ':', ',', ';'] as const;
export type Sign = (typeof SIGNS)[number];
export type Token = { readonly place: Place } & (
  | { readonly kind: 'sign'; readonly sign: Sign | '-' }
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'text'; readonly bytes: Uint8Array }
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'float' }
  | { readonly kind: 'end' }
);

const BLANK = new Set([' ', '\t', '\n', '\r', '\v', '\f']);
const isSign = (c: string): c is Sign => (SIGNS as readonly string[]).includes(c);

/** The token in the words of an error message. */
export const describeToken = (token: Token): string => {
  switch (token.kind) {
    case 'sign':
      return `"${token.sign}"`;
    case 'word':
      return `"${token.word}"`;
    case 'text':
      return 'a string';
    case 'integer':
    case 'float':
      return 'a number';
    case 'end':
      return 'the end of the text';
  }
};

/** Reads tokens one by one. Blanks and comments stand between them. */
export class Tokens {
  readonly #source: Source;
  #ahead: Token | undefined;
  constructor(source: Source) {
    this.#source = source;
  }
  peek(): Token {
    return (this.#ahead ??= this.#scan());
  }
  next(): Token {
    const token = this.peek();
    this.#ahead = undefined;
    return token;
  }
  /** Takes the next token if it is this sign. */
  skip(...signs: readonly Sign[]): boolean {
    const token = this.peek();
    const found = token.kind === 'sign' && (signs as readonly string[]).includes(token.sign);
    if (found) this.#ahead = undefined;
    return found;
  }
  fail(token: Token, message: string): never {
    return this.#source.fail(message, token.place);
  }
  expected(what: string, found: Token): never {
    return this.fail(found, `${what} is expected, but here is ${describeToken(found)}`);
  }

  #skipBlanks(): void {
    const source = this.#source;
    for (;;) {
      const c = source.peek();
      if (c === '#') source.takeWhile((one) => one !== undefined && one !== '\n');
      else if (c !== undefined && BLANK.has(c)) source.take();
      else return;
    }
  }
  #scan(): Token {
    this.#skipBlanks();
    const source = this.#source;
    const { place } = source;
    const c = source.peek();
    if (c === undefined) return { kind: 'end', place };
    if (isSign(c)) {
      source.take();
      return { kind: 'sign', sign: c, place };
    }
    // A minus before a letter belongs to the word (`-inf`). Before a number it stands alone.
    if (isLetter(c) || (c === '-' && isLetter(source.peek(1)))) {
      const first = source.take()!;
      return { kind: 'word', word: first + source.takeWhile(isWordPart), place };
    }
    if (c === '-') {
      source.take();
      return { kind: 'sign', sign: '-', place };
    }
    if (c === '"' || c === "'") return { kind: 'text', bytes: stringLiteral(source), place };
    if (isDigit(c) || (c === '.' && isDigit(source.peek(1)))) {
      const number = numberLiteral(source);
      return number.kind === 'float' ? { kind: 'float', place } : { ...number, place };
    }
    return source.fail(`"${c}" has no meaning here`);
  }
}

import { isHex, isOctal } from './characters.ts';
import type { Source } from './source.ts';

const encoder = new TextEncoder();
const NAMED: Readonly<Record<string, number>> = {
  a: 0x07,
  b: 0x08,
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
  v: 0x0b,
  '"': 0x22,
  "'": 0x27,
  '\\': 0x5c,
  '?': 0x3f,
};
const SURROGATES = { from: 0xd800, to: 0xdfff } as const;
const CODE_POINT_MAX = 0x10ffff;

const unicode = (source: Source, digits: number): Iterable<number> => {
  const text = source.takeWhile(isHex, digits);
  if (text.length < digits) return source.fail(`an escape needs ${digits} hexadecimal digits`);
  const code = Number.parseInt(text, 16);
  if (code > CODE_POINT_MAX || (code >= SURROGATES.from && code <= SURROGATES.to))
    return source.fail('the escape names no character');
  return encoder.encode(String.fromCodePoint(code));
};
const octal = (source: Source): Iterable<number> => {
  const value = Number.parseInt(source.takeWhile(isOctal, 3), 8);
  return value > 0xff ? source.fail('an octal escape is at most 377') : [value];
};
const hexadecimal = (source: Source): Iterable<number> => {
  const text = source.takeWhile(isHex, 2);
  return text === '' ? source.fail('an escape needs a hexadecimal digit') : [Number.parseInt(text, 16)];
};

/** The bytes behind a backslash. */
const escaped = (source: Source): Iterable<number> => {
  if (isOctal(source.peek())) return octal(source);
  const place = source.place;
  const c = source.take();
  if (c === undefined) return source.fail('the text ends inside an escape', place);
  if (c === 'x') return hexadecimal(source);
  if (c === 'u') return unicode(source, 4);
  if (c === 'U') return unicode(source, 8);
  const byte = Object.hasOwn(NAMED, c) ? NAMED[c] : undefined;
  return byte === undefined ? source.fail(`unknown escape \\${c}`, place) : [byte];
};

/** Reads a literal from its opening quote to its closing one. */
export const stringLiteral = (source: Source): Uint8Array => {
  const start = source.place;
  const quote = source.take();
  const bytes: number[] = [];
  let plain = source.offset;
  const add = (some: Iterable<number>): void => {
    for (const byte of some) bytes.push(byte);
  };
  const endPlain = (): void => add(encoder.encode(source.since(plain)));
  for (;;) {
    const c = source.peek();
    if (c === undefined) return source.fail('this string has no end', start);
    if (c === '\n' || c === '\0') return source.fail('a string ends on its own line');
    if (c === quote) {
      endPlain();
      source.take();
      return Uint8Array.from(bytes);
    }
    if (c === '\\') {
      endPlain();
      source.take();
      add(escaped(source));
      plain = source.offset;
    } else source.take();
  }
};

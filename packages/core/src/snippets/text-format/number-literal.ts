import { isDigit, isHex, isOctal, isWordPart } from './characters.ts';
import type { Source } from './source.ts';

export type NumberLiteral = { readonly kind: 'integer'; readonly value: bigint } | { readonly kind: 'float' };

const oneOf =
  (letters: string) =>
  (c: string | undefined): boolean =>
    c !== undefined && letters.includes(c);

const integerOf = (source: Source, prefix: string, digits: string): NumberLiteral => {
  endsHere(source);
  return { kind: 'integer', value: BigInt(prefix + digits) };
};
/** `5bar`, `09` and `1.2.3` are no numbers. */
const endsHere = (source: Source): void => {
  const c = source.peek();
  if (isWordPart(c) || oneOf('+-.')(c)) source.fail('a number must not continue like this');
};
const exponent = (source: Source): void => {
  source.take();
  if (oneOf('+-')(source.peek())) source.take();
  if (source.takeWhile(isDigit) === '') source.fail('an exponent needs digits');
};

/** Reads a number without its sign. Values of floats are not kept: no option is one. */
export const numberLiteral = (source: Source): NumberLiteral => {
  if (source.peek() === '0' && oneOf('xX')(source.peek(1))) {
    source.take();
    source.take();
    const digits = source.takeWhile(isHex);
    if (digits === '') source.fail('0x needs hexadecimal digits');
    return integerOf(source, '0x', digits);
  }
  if (source.peek() === '0' && isOctal(source.peek(1))) {
    source.take();
    return integerOf(source, '0o', source.takeWhile(isOctal));
  }
  const digits = source.peek() === '0' ? source.takeWhile(isDigit, 1) : source.takeWhile(isDigit);
  const whole = source.offset;
  if (source.peek() === '.') {
    source.take();
    source.takeWhile(isDigit);
  }
  if (oneOf('eE')(source.peek())) exponent(source);
  if (oneOf('fF')(source.peek())) source.take();
  if (source.offset === whole) return integerOf(source, '', digits);
  endsHere(source);
  return { kind: 'float' };
};

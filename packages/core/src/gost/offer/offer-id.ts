import { err, ok, type Result } from 'neverthrow';
import type { Brand } from '../../kernel/index.ts';

/** Twelve symbols of chance (60 bits) and one that checks them; upper case, without dashes. */
export type OfferId = Brand<string, 'OfferId'>;
export type InvalidOfferId = {
  readonly kind: 'InvalidOfferId';
  readonly text: string;
  readonly reason: 'length' | 'symbol' | 'check';
};

/** Crockford's alphabet: no I, L, O and U, so that an id survives a telephone call. */
const SYMBOLS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const DATA = 12;
const LOOK_ALIKES: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1' };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Multiplication in GF(32), modulo x^5 + x^2 + 1. */
const times = (a: number, b: number): number => {
  let product = 0;
  for (let bit = 0; bit < 5; bit++) if (b & (1 << bit)) product ^= a << bit;
  for (let bit = 9; bit >= 5; bit--) if (product & (1 << bit)) product ^= 0b100101 << (bit - 5);
  return product;
};
/** Powers of x from x^1 on; the check symbol itself has weight 1. All differ, so every single error and every swap shows. */
const WEIGHTS: readonly number[] = Array.from({ length: DATA }).reduce<number[]>(
  (powers) => [...powers, times(powers.at(-1) ?? 1, 2)],
  [],
);

/** What a symbol adds to the check, by its place and its value. */
const SHARES = WEIGHTS.map((weight) => Array.from(SYMBOLS, (_, value) => times(value, weight)));
const checkOf = (values: readonly number[]): number =>
  values.reduce((sum, value, i) => sum ^ (SHARES[i]?.[value] ?? 0), 0);

/** An id from twelve numbers of chance, each below 32. */
export const offerIdFrom = (values: readonly number[]): OfferId => {
  if (values.length !== DATA || values.some((value) => !(value >= 0 && value < 32)))
    throw new Error('an offer id is made of twelve numbers below 32');
  return [...values, checkOf(values)].map((value) => SYMBOLS[value]).join('') as OfferId;
};

const VALUES = new Map(Array.from(SYMBOLS, (symbol, value) => [symbol.charCodeAt(0), value]));
/** Whether the text is an id just as we write it: nearly all are, and every call of an API asks. */
const isWritten = (text: string): text is OfferId => {
  if (text.length !== DATA + 1) return false;
  let sum = 0;
  for (let i = 0; i < DATA; i++) {
    const value = VALUES.get(text.charCodeAt(i));
    if (value === undefined) return false;
    sum ^= SHARES[i]![value]!;
  }
  return sum === VALUES.get(text.charCodeAt(DATA));
};

/** Reads what people type: case, blanks, dashes and look-alikes don't matter; a wrong check symbol does. A UUID is an id as it is. */
export const parseOfferId = (text: string): Result<OfferId, InvalidOfferId> => {
  if (isWritten(text)) return ok(text);
  const trimmed = text.trim();
  if (UUID.test(trimmed.toLowerCase())) return ok(trimmed.toLowerCase() as OfferId);
  const refuse = (reason: InvalidOfferId['reason']): Result<never, InvalidOfferId> =>
    err({ kind: 'InvalidOfferId', text, reason });
  const symbols = [...trimmed.toUpperCase().replace(/[\s\-‐-―]/g, '')].map(
    (symbol) => LOOK_ALIKES[symbol] ?? symbol,
  );
  if (symbols.length !== DATA + 1) return refuse('length');
  const written = symbols.join('');
  if (isWritten(written)) return ok(written);
  return refuse(symbols.every((symbol) => SYMBOLS.includes(symbol)) ? 'check' : 'symbol');
};

/** As it is shown to people: `7K2M-9QXT-4HB3-R`. */
export const formatOfferId = (id: OfferId): string =>
  id.length === DATA + 1 ? (id.match(/.{1,4}/g) ?? []).join('-') : id;

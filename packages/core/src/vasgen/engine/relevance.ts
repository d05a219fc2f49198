/**
 * BM25 over several fields (BM25F): term counts are weighed by field and field length first, then saturated once, so a
 * word in title and description does not count twice. Whatever ranks by these functions ranks alike.
 */
export const K1 = 1.2;
export const B = 0.75;
/** Counts above this say nothing more. */
export const TERM_COUNT_MAX = 15;

/** A field's length in 8 bits: exact up to 127 words, then in steps of 2 %. */
export const lengthCode = (words: number): number =>
  words < 128 ? words : Math.min(255, 128 + Math.floor(32 * Math.log2(words / 128)));
const LENGTHS = Float64Array.from({ length: 256 }, (_, code) =>
  code < 128 ? code : 128 * 2 ** ((code - 128) / 32),
);
export const lengthOfCode = (code: number): number => LENGTHS[code]!;

/** What one occurrence weighs in a field of this length. */
export const fieldWeight = (boost: number, code: number, averageLength: number): number =>
  boost / (1 - B + B * (averageLength > 0 ? lengthOfCode(code) / averageLength : 1));

export const inverseFrequency = (documents: number, withTerm: number): number =>
  Math.log(1 + (documents - withTerm + 0.5) / (withTerm + 0.5));

/** `weighted` is the sum of counts times `fieldWeight` over the fields. */
export const termScore = (idf: number, weighted: number): number =>
  (idf * (K1 + 1) * weighted) / (K1 + weighted);

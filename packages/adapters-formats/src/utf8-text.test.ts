import fc from 'fast-check';
import { expect, test } from 'vitest';
import { utf8Decoder } from './utf8-text.ts';

const pieces = (bytes: Uint8Array, size: number): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
const told = (decode: (chunk: Uint8Array | undefined) => string, chunks: readonly Uint8Array[]): string => {
  try {
    return [...chunks, undefined].map((chunk) => decode(chunk)).join('');
  } catch {
    return 'broken';
  }
};
const ours = (chunks: readonly Uint8Array[]): string => told(utf8Decoder().decode, chunks);
const theirs = (chunks: readonly Uint8Array[]): string => {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return told((chunk) => decoder.decode(chunk, { stream: chunk !== undefined }), chunks);
};

const text = fc.string({ unit: fc.constantFrom('a', 'я', '€', '😀', '\n', '\uFEFF', '\0') });
const parts = fc.constantFrom(
  [0x61],
  [0xd1, 0x8f],
  [0xe2, 0x82, 0xac],
  [0xf0, 0x9f, 0x98, 0x80],
  [0xef, 0xbb, 0xbf],
  // What is no UTF-8: a lone end, a lone start, a long form, half a pair, beyond Unicode.
  [0x80],
  [0xd1],
  [0xe2, 0x82],
  [0xc0, 0x80],
  [0xe0, 0x80, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xff],
);
test('[P11] texts in pieces of any size are decoded as TextDecoder does', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 7 }), (value, size) => {
      const chunks = pieces(new TextEncoder().encode(value), size);
      expect(ours(chunks)).toBe(theirs(chunks));
    }),
    { numRuns: 1000 },
  );
});
test('[P4] [P11] bytes that are no UTF-8 are refused exactly when TextDecoder refuses them', () => {
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 8 }), fc.integer({ min: 1, max: 7 }), (list, size) => {
      const chunks = pieces(Uint8Array.from(list.flat()), size);
      expect(ours(chunks)).toBe(theirs(chunks));
    }),
    { numRuns: 3000 },
  );
});

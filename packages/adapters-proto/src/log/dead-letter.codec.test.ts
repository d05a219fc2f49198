import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { ok } from 'neverthrow';
import { expect, test } from 'vitest';
import type { DeadLetter } from '@doska/core/kernel';
import { deadLetterCodec } from './dead-letter.codec.ts';

const uint32 = fc.integer({ min: 0, max: 0xffffffff });
const text = fc.string({ unit: 'binary' });
const anyLetter: fc.Arbitrary<DeadLetter> = fc.record({
  position: fc.record({
    log: text,
    topic: fc.string({ minLength: 1 }),
    partition: uint32,
    offset: fc.maxSafeNat(),
  }),
  key: text,
  value: fc.uint8Array(),
  headers: fc.dictionary(text, text, { noNullPrototype: true }),
  reason: text,
  attempts: uint32,
  failedAtMs: fc.integer({ min: -8.64e15 / 1000, max: 8.64e15 / 1000 }),
});

const golden: DeadLetter = {
  position: { log: 'db-7/3', topic: 'gost-offer-updates', partition: 5, offset: 9_007_199_254_740_991 },
  key: 'offer-1',
  value: Uint8Array.of(0, 255, 1),
  headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', city: 'Казань' },
  reason: 'Malformed: OfferUpdate',
  attempts: 3,
  failedAtMs: 1_700_000_000_123,
};
const goldenBytes = (): Uint8Array =>
  Uint8Array.from(readFileSync(new URL('../testdata/dead-letter.v1.bin', import.meta.url)));

test('[B7] a dead letter comes back as it was', () => {
  fc.assert(
    fc.property(anyLetter, (letter) => {
      expect(deadLetterCodec.decode(deadLetterCodec.encode(letter))).toEqual(ok(letter));
    }),
    { numRuns: 1000 },
  );
});

test('[B7] bytes written by the first version stay readable', () => {
  expect(deadLetterCodec.decode(goldenBytes())).toEqual(ok(golden));
});

test('[B7] the first version is still what is written', () => {
  expect(Uint8Array.from(deadLetterCodec.encode(golden))).toEqual(goldenBytes());
});

test('[B7] foreign bytes are a value, never an exception', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const prefixed = Uint8Array.of(1, ...bytes);
      for (const foreign of [bytes, prefixed]) {
        const decoded = deadLetterCodec.decode(foreign);
        if (decoded.isErr()) expect(decoded.error).toMatchObject({ kind: 'Malformed', what: 'DeadLetter' });
      }
    }),
    { numRuns: 1000 },
  );
});

test.each([
  { name: 'nothing at all', bytes: Uint8Array.of(), field: 'version' },
  { name: 'text', bytes: new TextEncoder().encode('{"key":"x"}'), field: 'version' },
  { name: 'a later version', bytes: Uint8Array.of(2, 1, 1), field: 'version' },
  { name: 'an empty message', bytes: Uint8Array.of(1), field: 'position' },
  { name: 'a cut message', bytes: goldenBytes().subarray(0, 40), field: 'message' },
])('[B7] refuses $name', ({ bytes, field }) => {
  expect(deadLetterCodec.decode(bytes)._unsafeUnwrapErr()).toEqual({
    kind: 'Malformed',
    what: 'DeadLetter',
    field,
  });
});

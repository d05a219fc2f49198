import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { ok } from 'neverthrow';
import { expect, test } from 'vitest';
import type { SnippetRetry } from '@doska/core/snippets';
import { snippetRetryCodec } from './retry.codec.ts';

const uint32 = fc.integer({ min: 0, max: 0xffffffff });
const text = fc.string({ unit: 'binary' });
const ms = fc.integer({ min: 0, max: 8.64e12 });
const anyRetry: fc.Arbitrary<SnippetRetry> = fc.record({
  section: fc.string({ minLength: 1 }),
  position: fc.record({
    log: text,
    topic: fc.string({ minLength: 1 }),
    partition: uint32,
    offset: fc.maxSafeNat(),
  }),
  appendedMs: ms,
  key: text,
  value: fc.uint8Array(),
  headers: fc.dictionary(text, text, { noNullPrototype: true }),
  attempt: uint32,
  notBeforeMs: ms,
  reason: text,
});
const golden: SnippetRetry = {
  section: 'place/card',
  position: { log: 'db-7/3', topic: 'places', partition: 5, offset: 9_007_199_254_740_991 },
  appendedMs: 1_700_000_000_123,
  key: 'k',
  value: Uint8Array.of(0, 255, 1),
  headers: { 'snippet-operation': 'delete', city: 'Казань' },
  attempt: 2,
  notBeforeMs: 1_700_000_005_123,
  reason: 'the store is away',
};
const goldenBytes = (): Uint8Array =>
  Uint8Array.from(readFileSync(new URL('../testdata/snippet-retry.v1.bin', import.meta.url)));

test('[F8] a retry comes back as it was', () => {
  fc.assert(
    fc.property(anyRetry, (retry) => {
      expect(snippetRetryCodec.decode(snippetRetryCodec.encode(retry))).toEqual(ok(retry));
    }),
    { numRuns: 1000 },
  );
});
test('[F8] bytes written by the first version stay readable, and are still what is written', () => {
  expect(snippetRetryCodec.decode(goldenBytes())).toEqual(ok(golden));
  expect(Uint8Array.from(snippetRetryCodec.encode(golden))).toEqual(goldenBytes());
});
test('[F8] foreign bytes are a value, never an exception', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      for (const foreign of [bytes, Uint8Array.of(1, ...bytes)]) {
        const decoded = snippetRetryCodec.decode(foreign);
        if (decoded.isErr()) expect(decoded.error).toMatchObject({ kind: 'Malformed', what: 'SnippetRetry' });
      }
    }),
    { numRuns: 1000 },
  );
});

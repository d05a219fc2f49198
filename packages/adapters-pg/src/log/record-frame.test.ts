import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LogRecord } from '@doska/core/kernel';
import { packRecords, unpackRecords } from './record-frame.ts';

/** Well-formed: a lone surrogate has no UTF-8. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'grapheme-ascii', minLength: 60, maxLength: 70 }),
);
const anyRecord: fc.Arbitrary<LogRecord> = fc.record(
  {
    topic: fc.constant('t'),
    key: text,
    value: fc.uint8Array({ maxLength: 50 }),
    headers: fc.dictionary(text, text, { maxKeys: 3, noNullPrototype: true }),
  },
  { requiredKeys: ['topic', 'key', 'value'] },
);
const plain = ({ key, value, headers }: Pick<LogRecord, 'key' | 'value' | 'headers'>) => ({
  key,
  value: [...value],
  headers: { ...headers },
});

test('[B8] packed records are unpacked unchanged, from any record on, and frames can be joined', () => {
  fc.assert(
    fc.property(fc.array(anyRecord), fc.array(anyRecord), fc.nat(5), (first, second, skip) => {
      const frame = Buffer.concat([packRecords(first), packRecords(second)]);
      const unpacked = unpackRecords(frame, skip)._unsafeUnwrap();
      expect(unpacked.map(plain)).toEqual([...first, ...second].slice(skip).map(plain));
    }),
    { numRuns: 500 },
  );
});

test('[B8] a damaged frame gives an error or another record, never a crash', () => {
  const damage = fc.record({ at: fc.nat(), byte: fc.nat(255), cut: fc.nat() });
  fc.assert(
    fc.property(fc.array(anyRecord, { minLength: 1 }), damage, (records, { at, byte, cut }) => {
      const frame = Buffer.from(packRecords(records));
      frame[at % frame.length] = byte;
      const some = frame.subarray(0, cut % (frame.length + 1));
      for (const each of [frame, some]) {
        const unpacked = unpackRecords(each);
        if (unpacked.isErr()) expect(unpacked.error).toBe('damaged');
      }
    }),
    { numRuns: 2_000 },
  );
});

test('[B8] a frame that ends inside a record is damaged', () => {
  const frame = packRecords([{ topic: 't', key: 'key', value: new Uint8Array(10) }]);
  for (let length = 1; length < frame.length; length++)
    expect(unpackRecords(frame.subarray(0, length)).isErr()).toBe(true);
});

test('[B8] the layout of stored frames never changes', () => {
  const frame = packRecords([{ topic: 't', key: 'ё', value: Uint8Array.of(1, 2), headers: { a: 'b' } }]);
  expect(frame.toString('hex')).toBe('0000001400000002d1910001000000016100000001620102');
});

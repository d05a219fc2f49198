import fc from 'fast-check';
import { err } from 'neverthrow';
import { expect, test } from 'vitest';
import type { LogRecord, TopicInfo } from '../ports/message-log.port.ts';
import { admit, recordBytes } from './admission.ts';
import { partitionOf } from './partition-of.ts';

const topics: Record<string, TopicInfo> = {
  a: { name: 'a', partitions: 4, retentionMs: 1, recordBytesMax: 60, log: 'x', times: 'log' as const },
  b: { name: 'b', partitions: 1, retentionMs: 1, recordBytesMax: 60, log: 'x', times: 'log' as const },
};
const topicOf = (name: string): TopicInfo | undefined => topics[name];
const text = fc.string({ unit: 'binary', maxLength: 12 });
const anyRecord: fc.Arbitrary<LogRecord> = fc.record({
  topic: fc.constantFrom('a', 'b'),
  key: text,
  value: fc.uint8Array({ maxLength: 40 }),
  headers: fc.dictionary(text, text, { maxKeys: 2 }),
});

test('[B6] each record goes to its partition once and in order, or all oversize records are reported', () => {
  fc.assert(
    fc.property(fc.array(anyRecord), (records) => {
      const oversize = records.flatMap((record, index) => (recordBytes(record) > 60 ? [index] : []));
      const admitted = admit(records, topicOf);
      if (admitted.isErr()) {
        const { kind, ...rest } = admitted.error;
        expect(kind).toBe('RecordsTooLarge');
        expect('records' in rest ? rest.records.map(({ index }) => index) : []).toEqual(oversize);
        return;
      }
      expect(oversize).toEqual([]);
      const places = admitted.value.map(({ topic, partition }) => `${topic.name}/${partition}`);
      expect(new Set(places).size).toBe(places.length);
      for (const group of admitted.value) {
        const own = records.filter(
          (record) =>
            record.topic === group.topic.name &&
            partitionOf(record, group.topic.partitions) === group.partition,
        );
        expect(group.records).toEqual(own);
      }
      expect(admitted.value.flatMap((group) => group.records)).toHaveLength(records.length);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  { name: 'an unknown topic', record: { topic: 'none' }, error: { kind: 'UnknownTopic', topic: 'none' } },
  ...[4, -1, 0.5, NaN].map((partition) => ({
    name: `partition ${partition}`,
    record: { topic: 'a', partition },
    error: { kind: 'UnknownPartition', topic: 'a', partition, partitions: 4 },
  })),
])('[B6] $name refuses the whole call', ({ record, error }) => {
  const right: LogRecord = { topic: 'a', key: 'k', value: new Uint8Array() };
  expect(admit([right, { ...right, ...record }], topicOf)).toEqual(err(error));
});

test('[B6] the size of a record counts bytes, not characters, and exactly the limit is allowed', () => {
  const heavy = { topic: 'a', key: 'ё🔑', value: new Uint8Array(54) };
  expect(recordBytes(heavy)).toBe(60);
  expect(admit([heavy], topicOf).isOk()).toBe(true);
  expect(admit([{ ...heavy, value: new Uint8Array(55) }], topicOf)._unsafeUnwrapErr()).toMatchObject({
    records: [{ index: 0, bytes: 61, bytesMax: 60 }],
  });
});

const utf8 = new TextEncoder();

test('[B6] the size of a record is exact for keys and headers in any script', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), {
        noNullPrototype: true,
      }),
      fc.uint8Array(),
      (key, headers, value) => {
        const texts = [key, ...Object.entries(headers).flat()];
        const expected = texts.reduce((sum, text) => sum + utf8.encode(text).length, value.length);
        expect(recordBytes({ key, headers, value })).toBe(expected);
      },
    ),
    { numRuns: 1_000 },
  );
  for (const key of ['\ud800', '\udc00', '\udc00\ud800', 'a\ud83d', '\ud83d\udd11', 'ключ', '€'])
    expect(recordBytes({ key, value: new Uint8Array() })).toBe(utf8.encode(key).length);
});

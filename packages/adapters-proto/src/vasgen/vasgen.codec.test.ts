import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import type { Codec } from '@doska/core/kernel';
import type { OfferCard } from '@doska/core/search';
import type { Freshness, RawDocument, RawField, Verdict } from '@doska/core/vasgen';
import { cardCodec } from '../search/card.codec.ts';
import { vasgenCodecs } from './vasgen.codec.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const whole = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const list = fc.array(text, { maxLength: 4 });
const one = (kind: RawField['kind'], value: fc.Arbitrary<RawField['value']>): fc.Arbitrary<RawField> =>
  fc.record({ name: text, kind: fc.constant(kind), multiple: fc.constant(false), value });
const many = (kind: 'enum' | 'string'): fc.Arbitrary<RawField> =>
  fc.record({ name: text, kind: fc.constant(kind), multiple: fc.constant(true), value: list });
const number = fc.double({ noNaN: true });
const field: fc.Arbitrary<RawField> = fc.oneof(
  one('text', text),
  one('number', number),
  one('boolean', fc.boolean()),
  one('enum', text),
  one('string', text),
  one('geo', fc.record({ lat: number, lon: number })),
  many('enum'),
  many('string'),
);
const document: fc.Arbitrary<RawDocument> = fc.record({
  pk: text,
  event: fc.constantFrom('upsert', 'delete', 'erase', 'unknown'),
  epoch: whole,
  version: whole,
  composedAtMs: whole,
  fields: fc.array(field, { maxLength: 5 }),
  embeddings: fc.array(
    fc.record({ name: text, vector: fc.array(fc.float({ noNaN: true }), { maxLength: 4 }) }),
    { maxLength: 2 },
  ),
  expiresAtMs: fc.option(whole, { nil: undefined }),
  payload: fc.option(fc.uint8Array({ maxLength: 20 }), { nil: undefined }),
});
const place: fc.Arbitrary<Freshness> = fc.record({
  epoch: whole,
  version: whole,
  timestampMs: whole,
  kind: fc.constantFrom('document', 'expiry'),
});
const triple = fc.record({ epoch: whole, version: whole, timestampMs: whole });
const verdict: fc.Arbitrary<Verdict> = fc.oneof(
  fc.constantFrom<Verdict>({ kind: 'accepted' }, { kind: 'expired' }, { kind: 'unavailable' }),
  fc.record({ kind: fc.constant('duplicate' as const), conflict: fc.boolean() }),
  fc.record({
    kind: fc.constant('stale' as const),
    decidedBy: fc.constantFrom('version' as const, 'timestamp' as const),
    sent: triple,
    stored: triple,
  }),
  fc.record({
    kind: fc.constant('invalid' as const),
    epoch: whole,
    violations: fc.array(fc.record({ path: text, code: text, message: text }), { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('too_old' as const), horizonMs: whole }),
  fc.record({ kind: fc.constant('unknown_epoch' as const), living: fc.array(whole, { maxLength: 3 }) }),
);
const card: fc.Arbitrary<OfferCard> = fc.record({
  title: text,
  price: fc.option(fc.record({ minorUnits: whole, currency: text }), { nil: undefined }),
  category: text,
  coverId: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  photos: fc.nat({ max: 100 }),
  address: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  geoId: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  publishedAtMs: whole,
  seller: text,
});

type Case = { readonly codec: Codec<unknown>; readonly any: fc.Arbitrary<unknown>; readonly golden: unknown };
const caseOf = <T>(codec: Codec<T>, any: fc.Arbitrary<T>, golden: T): Case => ({
  codec: codec,
  any,
  golden,
});
const bicycle: RawDocument = {
  pk: 'велосипед-1',
  event: 'upsert',
  epoch: 2,
  version: 1_700_000_000_123_456,
  composedAtMs: 1_700_000_000_124,
  fields: [
    { name: 'title', kind: 'text', multiple: false, value: 'Красный велосипед' },
    { name: 'price', kind: 'number', multiple: false, value: 150.5 },
    { name: 'isNew', kind: 'boolean', multiple: false, value: true },
    { name: 'category', kind: 'enum', multiple: false, value: 'bicycles' },
    { name: 'seller', kind: 'string', multiple: false, value: 'ann' },
    { name: 'point', kind: 'geo', multiple: false, value: { lat: 55.75, lon: 37.61 } },
    { name: 'metro', kind: 'enum', multiple: true, value: ['a', 'b'] },
    { name: 'tags', kind: 'string', multiple: true, value: [] },
  ],
  embeddings: [{ name: 'look', vector: [0.5, -1] }],
  expiresAtMs: 1_800_000_000_000,
  payload: Uint8Array.of(1, 2, 3),
};
const bicyclePlace: Freshness = { epoch: 2, version: 3, timestampMs: 4, kind: 'expiry' };
const cases: Readonly<Record<string, Case>> = {
  'vasgen-document': caseOf(vasgenCodecs.document, document, bicycle),
  'vasgen-indexed': caseOf(
    vasgenCodecs.indexed,
    fc.record({ pk: text, place, schema: whole, document: fc.option(document, { nil: undefined }) }),
    { pk: 'a', place: bicyclePlace, schema: 7, document: bicycle },
  ),
  'vasgen-batch': caseOf(
    vasgenCodecs.batch,
    fc.record({ client: text, documents: fc.array(document, { maxLength: 3 }) }),
    { client: 'offers', documents: [bicycle] },
  ),
  'vasgen-rejected': caseOf(
    vasgenCodecs.rejected,
    fc.record({
      client: text,
      document,
      verdict,
      position: fc.record({ log: text, topic: text, partition: fc.nat({ max: 1_000 }), offset: whole }),
      index: fc.nat({ max: 1_000 }),
    }),
    {
      client: 'offers',
      document: bicycle,
      verdict: { kind: 'unknown_epoch', living: [1, 3] },
      position: { log: 'l', topic: 'vasgen-indexer', partition: 2, offset: 9 },
      index: 4,
    },
  ),
  'vasgen-segment': caseOf(
    vasgenCodecs.segment,
    fc.record({
      name: text,
      client: text,
      log: text,
      partition: fc.nat({ max: 1_000 }),
      records: fc.array(
        fc.record({ offset: whole, timestampMs: whole, key: text, value: fc.uint8Array({ maxLength: 50 }) }),
        { maxLength: 4 },
      ),
    }),
    {
      name: 'n',
      client: 'offers',
      log: 'l',
      partition: 2,
      records: [{ offset: 9, timestampMs: 10, key: 'a', value: Uint8Array.of(1, 2) }],
    },
  ),
  'search-card': caseOf(cardCodec, card, {
    title: 'Хомяк',
    price: { minorUnits: 50_000, currency: 'RUB' },
    category: 'rodents',
    coverId: 'c0ffee',
    photos: 2,
    address: 'Казань',
    geoId: 'kazan',
    publishedAtMs: 1_700_000_000_000,
    seller: 'ann',
  }),
};
const fileOf = (name: string): URL => new URL(`../testdata/${name}.v1.bin`, import.meta.url);
/** Buffers of Node and plain arrays with the same bytes are the same. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, inner: unknown) => {
      if (inner instanceof Uint8Array) return { bytes: [...inner] };
      const buffer = inner as { type?: string; data?: unknown };
      return buffer?.type === 'Buffer' && Array.isArray(buffer.data) ? { bytes: buffer.data } : inner;
    }),
  );

if (process.env['DOSKA_WRITE_GOLDEN'] === '1')
  for (const [name, { codec, golden }] of Object.entries(cases))
    writeFileSync(fileOf(name), codec.encode(golden));

describe.each(Object.entries(cases))('%s', (name, { codec, any, golden }) => {
  test('[V1] comes back as it was', () => {
    fc.assert(
      fc.property(any, (value) => {
        expect(plain(codec.decode(codec.encode(value))._unsafeUnwrap())).toEqual(plain(value));
      }),
      { numRuns: 1000 },
    );
  });
  test('[V1] bytes written by the first version stay readable', () => {
    const bytes = Uint8Array.from(readFileSync(fileOf(name)));
    expect(plain(codec.decode(bytes)._unsafeUnwrap())).toEqual(plain(golden));
  });
  test('[V1] the first version is still what is written', () => {
    expect(Uint8Array.from(codec.encode(golden))).toEqual(Uint8Array.from(readFileSync(fileOf(name))));
  });
  test('[V1] foreign bytes are a value, never an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        codec.decode(bytes);
        codec.decode(Uint8Array.of(1, ...bytes));
      }),
      { numRuns: 1000 },
    );
  });
});

test('[V1] a value of a kind that this version does not know is no value', () => {
  const bytes = vasgenCodecs.document.encode({
    ...bicycle,
    fields: [{ name: 'x', kind: 'string', multiple: false, value: undefined }],
  });
  expect(vasgenCodecs.document.decode(bytes).map(({ fields }) => fields)).toEqual(
    ok([{ name: 'x', kind: 'string', multiple: false, value: undefined }]),
  );
});
test('[V2] a place that is no place makes an index record unreadable', () => {
  const bytes = vasgenCodecs.indexed.encode({
    pk: 'a',
    place: { ...bicyclePlace, version: 2 ** 53 },
    schema: 0,
    document: undefined,
  });
  expect(vasgenCodecs.indexed.decode(bytes).isErr()).toBe(true);
});

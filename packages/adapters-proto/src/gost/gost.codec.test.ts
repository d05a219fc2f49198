import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import type { AttributeId, CategoryId } from '@doska/core/catalog';
import {
  FEED_VERDICTS,
  LIFECYCLES,
  offerIdFrom,
  STATUSES,
  type CommandId,
  type DraftId,
  type FeedAnswer,
  type FeedMessage,
  type FeedPhotoErrors,
  type GostCodecs,
  type HistoryEntry,
  type ModerationOpinion,
  type OfferDraft,
  type OfferId,
  type OfferText,
  type OfferView,
  type SellerId,
} from '@doska/core/gost';
import {
  joinParts,
  OFFER_FIELDS,
  type ArchivedOffer,
  type FeedProgress,
  type FeedRow,
  type OfferBodies,
  type OfferHead,
} from '@doska/core/gost/storage';
import type { Codec } from '@doska/core/kernel';
import { flowCodecs, gostCodecs } from './gost.codec.ts';

const text = fc.string({ unit: 'binary', maxLength: 40 });
const long = fc.string({ unit: 'grapheme', maxLength: 2_000 });
const name = fc.string({ minLength: 1, maxLength: 20 });
const count = fc.maxSafeNat();
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0); // -0 is 0 on the wire
const money = fc.record({ minorUnits: count, currency: name });
const status = fc.constantFrom(...STATUSES);

const offerText: fc.Arbitrary<OfferText> = fc.record({
  attributes: fc.array(
    fc.record({
      attribute: name.map((id) => id as AttributeId),
      values: fc.array(fc.oneof(text, number, fc.boolean()), { maxLength: 3 }),
    }),
    { maxLength: 4 },
  ),
  title: text,
  description: long,
  price: maybe(money),
  photos: fc.array(text, { maxLength: 3 }),
  place: fc.record({
    address: maybe(text),
    point: maybe(fc.record({ latitude: number, longitude: number })),
  }),
  contacts: fc.record({ name: maybe(text), phone: maybe(text), email: maybe(text) }),
});
const geo = fc.record({ geoId: name, district: maybe(text), metro: fc.array(text, { maxLength: 3 }) });
const outcome = fc.oneof(
  fc.record({
    kind: fc.constant('ready' as const),
    imageId: name,
    width: fc.nat(10_000),
    height: fc.nat(10_000),
  }),
  fc.record({ kind: fc.constant('failed' as const), reason: text }),
);
const source = fc.record({ namespace: text, externalId: text });
const offerId = name.map((id) => id as OfferId);
const command = fc.record({
  id: text.map((one) => one as CommandId),
  version: count,
  updatedAtUs: count,
  status,
});

const head: fc.Arbitrary<OfferHead> = fc.record({
  id: offerId,
  seller: text.map((seller) => seller as SellerId),
  source: maybe(source),
  catalogVersion: count,
  lifecycle: fc.constantFrom(...LIFECYCLES),
  soldOnPlatform: fc.boolean(),
  createdAtUs: count,
  updatedAtUs: count,
  expiresAtUs: maybe(count),
  retiredAtUs: maybe(count),
  version: count,
  commands: fc.array(command, { maxLength: 8 }),
});
const content: fc.Arbitrary<OfferBodies['content']> = fc.record({
  content: fc
    .tuple(offerText, text)
    .map(([said, category]) => ({ ...said, category: category as CategoryId })),
  geo: maybe(geo),
});
const moderation: fc.Arbitrary<OfferBodies['moderation']> = fc.record({
  ban: maybe(fc.record({ editable: fc.boolean(), reasons: fc.array(text, { maxLength: 3 }) })),
  opinionVersion: count,
});
const images: fc.Arbitrary<OfferBodies['images']> = fc.record({
  images: fc.array(fc.record({ url: text, outcome }), { maxLength: 3 }),
});
const view: fc.Arbitrary<OfferView> = fc
  .tuple(
    offerText,
    fc.record({
      id: offerId,
      seller: text.map((seller) => seller as SellerId),
      sellerType: fc.constantFrom('private' as const, 'company' as const),
      source: maybe(source),
      status,
      reasons: fc.array(text, { maxLength: 2 }),
      category: text.map((id) => id as CategoryId),
      photos: fc.array(fc.record({ url: text, outcome: maybe(outcome) }), { maxLength: 3 }),
      geo: maybe(geo),
      createdAtUs: count,
      updatedAtUs: count,
      expiresAtUs: maybe(count),
      version: count,
      catalogVersion: count,
    }),
  )
  .map(([{ contacts: _contacts, ...said }, rest]) => ({ ...said, ...rest }));
const draft: fc.Arbitrary<OfferDraft> = fc.record({
  id: name.map((id) => id as DraftId),
  owner: fc.record({ kind: fc.constantFrom('user' as const, 'anonymous' as const), id: text }),
  category: maybe(text.map((id) => id as CategoryId)),
  content: offerText,
  lastUpdateUs: count,
});
const history: fc.Arbitrary<HistoryEntry> = fc.record({
  offerId,
  version: count,
  atUs: count,
  commandId: text.map((id) => id as CommandId),
  command: fc.constantFrom(
    ...([
      'publish',
      'edit',
      'activate',
      'hide',
      'sell',
      'expire',
      'remove',
      'prolong',
      'ban',
      'unban',
    ] as const),
  ),
  by: fc.constantFrom(...(['seller', 'feed', 'moderation', 'time', 'operator'] as const)),
  from: maybe(status),
  to: status,
  sale: maybe(fc.record({ earned: maybe(money) })),
  details: maybe(
    fc.record({
      fields: fc.subarray([...OFFER_FIELDS]),
      opinion: maybe(
        fc.record({ version: count, reasons: fc.array(text, { maxLength: 3 }), editable: fc.boolean() }),
      ),
      feed: maybe(fc.record({ namespace: text, task: count })),
      expiresAtUs: maybe(count),
      photos: maybe(fc.record({ named: fc.nat(), ready: fc.nat(), failed: fc.nat() })),
    }),
  ),
});
const archived: fc.Arbitrary<ArchivedOffer> = fc
  .tuple(head, content, moderation, images, fc.array(history, { maxLength: 3 }))
  .map(([top, said, opinion, pictures, entries]) => ({
    offer: joinParts({ head: top, content: said, moderation: opinion, images: pictures }),
    history: entries.map((entry) => ({ ...entry, offerId: top.id })),
  }));
const feedError = fc.record({
  level: fc.constantFrom('error' as const, 'warning' as const),
  code: text,
  path: text,
  message: text,
  value: maybe(text),
  line: maybe(fc.nat()),
});
const feedRow: fc.Arbitrary<FeedRow> = fc.record({
  externalId: text,
  offerId: maybe(offerId),
  task: count,
  ordinal: count,
  result: fc.record({
    verdict: fc.constantFrom(...FEED_VERDICTS),
    errors: fc.array(feedError, { maxLength: 3 }),
  }),
  removedAtUs: maybe(count),
});
const feedProgress: fc.Arbitrary<FeedProgress> = fc.record({
  task: count,
  generation: count,
  nextBatch: count,
  offersSeen: count,
  answeredAtUs: count,
  terminal: maybe(
    fc.record({ removed: count, manual: count, state: fc.constantFrom('running', 'held', 'done') }),
  ),
});

const sellerId = name.map((id) => id as SellerId);
const sent = { seller: sellerId, namespace: name, task: count, generation: count };
const feedOffers: fc.Arbitrary<FeedMessage> = fc.oneof(
  fc.record({
    ...sent,
    kind: fc.constant('batch' as const),
    batch: count,
    entries: fc.array(
      fc.record({
        ordinal: count,
        externalId: name,
        line: maybe(fc.nat()),
        geo: maybe(geo),
        content: maybe(content.map(({ content: said }) => said)),
        errors: fc.array(feedError, { maxLength: 2 }),
      }),
      { maxLength: 3 },
    ),
  }),
  fc.record({
    ...sent,
    kind: fc.constant('terminal' as const),
    batches: count,
    offers: count,
    force: fc.boolean(),
    reason: fc.constantFrom('loaded' as const, 'feed_removed' as const),
    absent: fc.constantFrom('remove' as const, 'manual' as const),
  }),
);
const feedResults: fc.Arbitrary<FeedAnswer> = fc.oneof(
  fc.record({
    ...sent,
    kind: fc.constant('batch' as const),
    batch: count,
    outcome: fc.constantFrom('applied' as const, 'incomplete' as const, 'skipped' as const),
    entries: fc.array(
      fc.record({
        ordinal: count,
        externalId: text,
        verdict: fc.constantFrom(...FEED_VERDICTS),
        offerId: maybe(offerId),
        errors: fc.array(feedError, { maxLength: 2 }),
        title: maybe(name),
      }),
      { maxLength: 3 },
    ),
  }),
  fc.record({
    ...sent,
    kind: fc.constant('terminal' as const),
    removed: count,
    manual: count,
    known: count,
    unseen: count,
    outcome: fc.constantFrom('done' as const, 'held' as const, 'incomplete' as const, 'skipped' as const),
  }),
);
const opinions: fc.Arbitrary<ModerationOpinion> = fc.record({
  offerId: fc.array(fc.nat(31), { minLength: 12, maxLength: 12 }).map(offerIdFrom),
  version: count,
  reasons: fc.array(text, { maxLength: 3 }),
  editable: fc.boolean(),
  verdict: fc.constantFrom('allowed' as const, 'banned' as const),
});
const photoErrors: fc.Arbitrary<FeedPhotoErrors> = fc.record({
  seller: sellerId,
  source,
  offerId,
  errors: fc.array(fc.record({ url: text, reason: text }), { maxLength: 3 }),
});

const { bodies, photoRequest: _request, ...records } = gostCodecs;
const { photoResults: _results, ...flows } = flowCodecs;
type Case = { readonly what: string; readonly codec: Codec<unknown>; readonly any: fc.Arbitrary<unknown> };
const made = {
  head,
  view,
  draft,
  history,
  archived,
  feedProgress,
  feedRow,
  content,
  moderation,
  images,
  feedOffers,
  feedResults,
  opinions,
  photoErrors,
};
const cases: readonly Case[] = (
  Object.entries({ ...records, ...bodies, ...flows }) as [keyof typeof made, Codec<unknown>][]
).map(([what, codec]) => ({ what, codec, any: made[what] as fc.Arbitrary<unknown> }));

/** Where bytes have come to be written otherwise: history got its details, heads lost the hash of their contents, views tell the type of the seller. */
const GOLDEN_VERSIONS: Readonly<Record<string, number>> = { head: 2, history: 2, view: 2 };

describe.each(cases)('$what', ({ what, codec, any }) => {
  test('[G12] comes back as it was', () => {
    fc.assert(
      fc.property(any, (value) => {
        expect(codec.decode(codec.encode(value))).toEqual(ok(value));
      }),
      { numRuns: 1000 },
    );
  });
  test('[G12] foreign bytes are a value, never an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(0, 1, 2), (bytes, format) => {
        const decoded = codec.decode(Uint8Array.of(format, ...bytes));
        if (decoded.isErr()) expect(decoded.error).toMatchObject({ kind: 'Malformed' });
      }),
      { numRuns: 1000 },
    );
  });
  const versions = Array.from({ length: GOLDEN_VERSIONS[what] ?? 1 }, (_, i) => i + 1);
  test.each(versions)(
    '[G12] bytes of version %i stay readable, and the last version is still written',
    (v) => {
      const golden = (type: string): Buffer =>
        readFileSync(new URL(`../testdata/gost-${what}.v${v}.${type}`, import.meta.url));
      const bytes = Uint8Array.from(golden('bin'));
      const decoded = codec.decode(bytes)._unsafeUnwrap();
      expect(JSON.parse(JSON.stringify(decoded))).toEqual(JSON.parse(golden('json').toString()));
      if (v === versions.length) expect(Uint8Array.from(codec.encode(decoded))).toEqual(bytes);
    },
  );
});

const large = (change: Partial<OfferText> = {}): OfferBodies['content'] => ({
  content: {
    attributes: [],
    title: 'Диван угловой',
    description: 'Почти новый. '.repeat(200),
    price: undefined,
    photos: [],
    place: { address: undefined, point: undefined },
    category: 'sofas' as CategoryId,
    contacts: { name: undefined, phone: undefined, email: undefined },
    ...change,
  },
  geo: undefined,
});

test('[G12] compressed bytes of the first version stay readable', () => {
  const golden = readFileSync(new URL('../testdata/gost-content-lz4.v1.bin', import.meta.url));
  expect(golden[0]).toBe(2);
  expect(gostCodecs.bodies.content.decode(golden)).toEqual(ok(large()));
});

test('[G12] what is worth compressing is compressed, the rest is not', () => {
  const { content: codec } = gostCodecs.bodies;
  const small = codec.encode(large({ description: '' }));
  const big = codec.encode(large());
  expect([small[0], big[0]]).toEqual([1, 2]);
  expect(big.length).toBeLessThan(1_000);
  expect(codec.decode(big)).toEqual(ok(large()));
});

test.each([
  { name: 'nothing at all', bytes: Uint8Array.of(), field: 'format' },
  { name: 'a later format', bytes: Uint8Array.of(3, 1, 1), field: 'format' },
  { name: 'a forged length', bytes: Uint8Array.of(2, 255, 255, 255, 255, 0), field: 'length' },
  { name: 'a cut length', bytes: Uint8Array.of(2, 1), field: 'length' },
  {
    name: 'a cut block',
    bytes: gostCodecs.bodies.content.encode(large()).subarray(0, 60),
    field: 'compression',
  },
  { name: 'an empty message', bytes: Uint8Array.of(1), field: 'text' },
])('[G12] refuses $name', ({ bytes, field }) => {
  expect(gostCodecs.bodies.content.decode(bytes)._unsafeUnwrapErr()).toEqual({
    kind: 'Malformed',
    what: 'offer content',
    field,
  });
});

test('[G5] contacts have no place in what is exported', () => {
  const codecs: GostCodecs = gostCodecs;
  const [sample] = fc.sample(view, { numRuns: 1, seed: 7 });
  const leaking = { ...sample!, contacts: { name: 'Ann', phone: '+7 900 000-00-00', email: undefined } };
  expect(Buffer.from(codecs.view.encode(leaking)).includes('900')).toBe(false);
});

import { errAsync, ok, okAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import type { CategoryId } from '../../catalog/index.ts';
import type { OfferId, OfferView } from '../../gost/index.ts';
import { unavailable, type LogPublisher } from '../../kernel/index.ts';
import { direct, type Io } from '../../kernel/testing.ts';
import { BULK_TOPIC, LIVE_TOPIC, type RawDocument, type RejectedDocument } from '../../vasgen/index.ts';
import { deletionOf } from '../document/offer-document.ts';
import { defaultSearchSettings } from '../settings.ts';
import { sampleOffer } from '../testing/ctr-stores.contract.ts';
import { openWorld, searchCodecs, viewOf } from '../testing/search-world.ts';
import type { ParkingSettings } from './parked-offers.use-case.ts';

const [a, b, c] = [1, 2, 3].map(sampleOffer) as [OfferId, OfferId, OfferId];
const MINUTE_MS = 60_000;
const broken = (id: OfferId, more: Partial<OfferView> = {}): OfferView =>
  viewOf(id, { category: 'no-such' as CategoryId, ...more });

type Options = {
  readonly io?: Io;
  readonly parking?: Partial<ParkingSettings>;
  readonly recordBytesMax?: number;
};
const open = ({ io, parking, recordBytesMax = Infinity }: Options = {}) => {
  const published: { topic: string; documents: readonly RawDocument[] }[] = [];
  const publish: LogPublisher['publish'] = (records) => {
    const large = records.flatMap(({ topic, key, value }, index) =>
      value.byteLength > recordBytesMax
        ? [{ index, topic, key, bytes: value.byteLength, bytesMax: recordBytesMax }]
        : [],
    );
    if (large.length > 0) return errAsync({ kind: 'RecordsTooLarge' as const, records: large });
    if (world.world.isLogAway) return errAsync(unavailable('log'));
    for (const { topic, value } of records)
      published.push({ topic, documents: searchCodecs.batch.decode(value)._unsafeUnwrap().documents });
    return okAsync(undefined);
  };
  const world = openWorld({
    ...(io ? { io } : {}),
    settings: {
      batch: { ...defaultSearchSettings.batch, everyMs: 0 },
      parking: {
        ...defaultSearchSettings.parking,
        retry: { firstMs: 10_000, factor: 2, maxMs: 3_600_000, jitter: 0 },
        ...parking,
      },
    },
    ports: { log: { promises: { fences: false, joinsTransactions: false }, publish } },
  });
  const sent = (topic: string): readonly (readonly [string, string, number])[] =>
    published
      .filter((one) => one.topic === topic)
      .flatMap(({ documents }) => documents.map(({ pk, event, version }) => [pk, event, version] as const));
  return {
    ...world,
    live: () => sent(LIVE_TOPIC),
    bulk: () => sent(BULK_TOPIC),
    batches: published,
    parked: async () => (await world.parking.list('', 100))._unsafeUnwrap(),
    park: (id: OfferId) =>
      world.parking.park([{ offerId: id, cause: 'operator', reason: 'by hand', versionUs: 0 }], 'later'),
    retry: async () =>
      (await world.parkingJob.run({ token: 1, signal: new AbortController().signal }))._unsafeUnwrap(),
    reject: (document: RawDocument, verdict: RejectedDocument['verdict'], client = 'offers') => {
      const position = { log: 'l', topic: 'vasgen-indexer', partition: 0, offset: 0 };
      return world.consumeRejected(
        {
          key: document.pk,
          value: searchCodecs.rejected.encode({ client, document, verdict, position, index: 0 }),
          headers: {},
          timestampMs: 1,
          position,
        },
        new AbortController().signal,
      );
    },
  };
};

describe('the policy', () => {
  test('[S4] is off by default: a failing offer blocks its partition however long it takes', async () => {
    const world = open();
    world.world.offers.set(a, broken(a));
    for (let n = 0; n < 5; n++) {
      expect(await world.deliver(broken(a), viewOf(b))).toMatchObject({ kind: 'blocked', handled: 0 });
      await world.time.advance(60 * MINUTE_MS);
    }
    expect(await world.parked()).toEqual([]);
  });
  test('[S4] parks an offer that has blocked its partition for long enough, and the partition flows', async () => {
    const world = open({ parking: { afterMs: MINUTE_MS } });
    world.world.offers.set(a, broken(a));
    expect(await world.deliver(broken(a), viewOf(b))).toMatchObject({ kind: 'blocked' });
    await world.time.advance(MINUTE_MS - 1);
    expect(await world.deliver(broken(a), viewOf(b))).toMatchObject({ kind: 'blocked' });
    await world.time.advance(1);
    expect(await world.deliver(broken(a), viewOf(b))).toEqual({ kind: 'done' });
    expect(world.live()).toEqual([[b, 'upsert', 500]]);
    expect(await world.parked()).toMatchObject([
      { offerId: a, cause: 'conversion', reason: 'the catalogue has no category no-such', versionUs: 500 },
    ]);
  });
  test('[S4] does not park what waits for a server or for the catalogue', async () => {
    const world = open({ parking: { afterMs: 1 } });
    const newer = viewOf(a, { catalogVersion: 4 });
    world.world.offers.set(a, newer);
    for (let n = 0; n < 3; n++) {
      expect(await world.deliver(newer)).toMatchObject({ kind: 'blocked' });
      await world.time.advance(MINUTE_MS);
    }
    world.world.isStoreAway = true;
    for (let n = 0; n < 3; n++) {
      expect(await world.deliver(broken(a))).toMatchObject({ kind: 'blocked' });
      await world.time.advance(MINUTE_MS);
    }
    expect(await world.parked()).toEqual([]);
  });
  test('[S4] the position does not pass an offer that could not be stored in the lot', async () => {
    let isAway = false;
    const io: Io = (op, work) =>
      isAway && op.name === 'lot.park' ? errAsync(unavailable('lot')) : direct(op, work);
    const world = open({ io, parking: { afterMs: 0 } });
    world.world.offers.set(a, broken(a));
    isAway = true;
    expect(await world.deliver(viewOf(b), broken(a))).toMatchObject({ kind: 'blocked', handled: 1 });
    isAway = false;
    expect(await world.deliver(broken(a))).toEqual({ kind: 'done' });
    expect(await world.parked()).toHaveLength(1);
  });
});

describe('a parked offer', () => {
  test('[S4] by command lets its partition flow; its later events refresh the lot, and its deletes go out', async () => {
    const world = open();
    world.world.offers.set(a, broken(a));
    expect(await world.deliver(broken(a))).toMatchObject({ kind: 'blocked' });
    await world.park(a);
    expect(await world.deliver(broken(a))).toEqual({ kind: 'done' });
    expect(await world.deliver(broken(a, { updatedAtUs: 700 }), viewOf(b))).toEqual({ kind: 'done' });
    expect(await world.parked()).toMatchObject([{ offerId: a, versionUs: 700, cause: 'operator' }]);
    expect(await world.deliver(broken(a, { updatedAtUs: 800, status: 'banned' }))).toEqual({ kind: 'done' });
    expect(world.live()).toEqual([
      [b, 'upsert', 500],
      [a, 'delete', 800],
    ]);
  });
  test('[S4] is retried with growing pauses by asking the offer store, until it can be converted', async () => {
    const world = open();
    world.world.offers.set(a, broken(a));
    await world.park(a);
    const retried: number[] = [];
    for (let seconds = 0; seconds < 100; seconds++) {
      const before = (await world.parked())[0]!.attempts;
      await world.retry();
      if ((await world.parked())[0]!.attempts > before) retried.push(seconds);
      await world.time.advance(1_000);
    }
    expect(retried).toEqual([10, 20, 40, 80]);
    expect(await world.parked()).toMatchObject([{ reason: 'the catalogue has no category no-such' }]);
    world.world.offers.set(a, viewOf(a, { updatedAtUs: 900 }));
    await world.time.advance(MINUTE_MS);
    expect(await world.retry()).toBe('1 offers left the lot, 0 stay');
    expect(world.bulk()).toEqual([[a, 'upsert', 900]]);
    expect(await world.parked()).toEqual([]);
  });
  test('[S4] stays while the offer store answers with an older version than the event had', async () => {
    const world = open({ parking: { afterMs: 0 } });
    world.world.offers.set(a, broken(a));
    await world.deliver(broken(a));
    world.world.offers.set(a, viewOf(a, { updatedAtUs: 499 }));
    await world.retry();
    expect(world.bulk()).toEqual([]);
    expect(await world.parked()).toMatchObject([{ reason: 'the offer store answers with an older version' }]);
  });
  test('[S4] stays when an event refreshes it while it is retried', async () => {
    const world: ReturnType<typeof open> = open({
      io: (op, work) => {
        if (op.name !== 'lot.settle' || isRefreshed) return direct(op, work);
        isRefreshed = true;
        return world.parking
          .park([{ offerId: a, cause: 'conversion', reason: 'newer', versionUs: 999 }], 'later')
          .then(() => work()) as never;
      },
    });
    let isRefreshed = false;
    world.world.offers.set(a, viewOf(a));
    await world.park(a);
    await world.time.advance(10_000);
    await world.retry();
    expect(await world.parked()).toMatchObject([{ reason: 'newer', versionUs: 999 }]);
  });
  test('[S4] that the offer store does not know is deleted with a newer version than it ever had', async () => {
    const world = open();
    await world.park(a);
    await world.time.advance(10_000);
    const { sinceMs } = (await world.parked())[0]!;
    await world.retry();
    expect(world.bulk()).toEqual([[a, 'delete', sinceMs * 1_000]]);
  });
  test('[S4] stays while the offer store or the log is away, and is not counted as tried', async () => {
    const world = open();
    world.world.offers.set(a, viewOf(a));
    await world.park(a);
    await world.time.advance(10_000);
    const run = () => world.parkingJob.run({ token: 1, signal: new AbortController().signal });
    world.world.isStoreAway = true;
    expect((await run()).isErr()).toBe(true);
    world.world.isStoreAway = false;
    world.world.isLogAway = true;
    expect((await run()).isErr()).toBe(true);
    expect(await world.parked()).toMatchObject([{ attempts: 0 }]);
    world.world.isLogAway = false;
    expect((await run()).isOk()).toBe(true);
    expect(await world.parked()).toEqual([]);
  });
  test('[S4] is retried at once by command, which tells whether it left', async () => {
    const world = open();
    world.world.offers.set(a, broken(a));
    await world.park(a);
    expect((await world.parking.unpark(a))._unsafeUnwrap()).toMatchObject({ attempts: 1 });
    world.world.offers.set(a, viewOf(a));
    expect(await world.parking.unpark(a)).toEqual(ok(undefined));
    expect(world.bulk()).toEqual([[a, 'upsert', 500]]);
    expect((await world.parking.unpark(a))._unsafeUnwrapErr()).toEqual({ kind: 'NotParked', offerId: a });
  });
});

describe('a document that is too large', () => {
  const large = (id: OfferId): OfferView => viewOf(id, { description: 'x'.repeat(5_000) });
  test('[S3] parks its offer by name, whatever the policy, and those around it go out', async () => {
    const world = open({ recordBytesMax: 3_000 });
    expect(await world.deliver(viewOf(b), large(a), viewOf(c))).toEqual({ kind: 'done' });
    expect(world.live().map(([pk]) => pk)).toEqual([b, c]);
    expect(await world.parked()).toMatchObject([
      {
        offerId: a,
        cause: 'tooLarge',
        versionUs: 500,
        reason: 'its document is larger than a record of the topic may be',
      },
    ]);
  });
  test('[S3] a batch that is larger than a record goes in smaller ones', async () => {
    const world = open({ recordBytesMax: 3_000 });
    const ids = Array.from({ length: 20 }, (_, n) => sampleOffer(n + 1));
    expect(await world.deliver(...ids.map((id) => viewOf(id)))).toEqual({ kind: 'done' });
    expect(world.live().map(([pk]) => pk)).toEqual(ids);
    expect(await world.parked()).toEqual([]);
  });
  test('[S3] documents of one offer for two epochs go apart before the offer is parked', async () => {
    const world = open({ recordBytesMax: 9_000 });
    world.world.epochs = [1, 2];
    expect(await world.deliver(large(a))).toEqual({ kind: 'done' });
    expect(world.batches.map(({ documents }) => documents.map(({ epoch }) => epoch))).toEqual([[1], [2]]);
    expect(await world.parked()).toEqual([]);
  });
  test('[S4] a re-index parks it and sends the others', async () => {
    const world = open({ recordBytesMax: 3_000 });
    for (const view of [viewOf(b), large(a), viewOf(c)]) world.world.offers.set(view.id, view);
    const slice = await world.reindexOffers({
      mode: 'reindex',
      epoch: undefined,
      category: undefined,
      cursor: '',
    });
    expect(slice.isOk()).toBe(true);
    expect(world.bulk().map(([pk]) => pk)).toEqual([b, c]);
    expect(await world.parked()).toMatchObject([{ offerId: a, cause: 'tooLarge' }]);
    // A retry finds it as large as before; when its seller has shortened it, it goes out.
    await world.time.advance(10_000);
    expect(await world.retry()).toBe('0 offers left the lot, 1 stay');
    world.world.offers.set(a, viewOf(a, { updatedAtUs: 600 }));
    await world.time.advance(MINUTE_MS);
    expect(await world.retry()).toBe('1 offers left the lot, 0 stay');
  });
});

describe('what the receiver refused', () => {
  const upsert = (id: string, epoch = 1): RawDocument => ({
    ...deletionOf(id, 500, { epoch, composedAtMs: 1 }),
    event: 'upsert',
  });
  const invalid: RejectedDocument['verdict'] = {
    kind: 'invalid',
    epoch: 1,
    violations: [{ path: 'fields.year', code: 'x', message: 'this epoch has text here' }],
  };
  test('[S4] comes into the lot and is composed anew', async () => {
    const world = open();
    world.world.offers.set(a, viewOf(a));
    expect(await world.reject(upsert(a), invalid)).toEqual({ kind: 'done' });
    expect(await world.parked()).toMatchObject([
      { cause: 'rejected', reason: 'fields.year: this epoch has text here', versionUs: 500 },
    ]);
    await world.time.advance(10_000);
    await world.retry();
    expect(world.bulk()).toEqual([[a, 'upsert', 500]]);
    // It leaves the lot when no refusal has come for a while.
    expect(await world.parked()).toMatchObject([{ sent: true }]);
    await world.time.advance(MINUTE_MS);
    expect(await world.retry()).toBe('1 offers left the lot, 0 stay');
    expect(world.bulk()).toHaveLength(1);
  });
  test('[S4] again and again is sent with growing pauses, not in a circle', async () => {
    const world = open();
    world.world.offers.set(a, viewOf(a));
    await world.reject(upsert(a), invalid);
    for (let seconds = 0, seen = 0; seconds < 3_600; seconds++) {
      await world.retry();
      if (world.bulk().length > seen) {
        seen = world.bulk().length;
        await world.reject(upsert(a), invalid);
      }
      await world.time.advance(1_000);
    }
    expect(world.bulk().length).toBeLessThan(12);
  });
  test('[S4] for an epoch that is gone is forgotten, for one that lives it is composed anew', async () => {
    const world = open();
    const gone: RejectedDocument['verdict'] = { kind: 'unknown_epoch', living: [2] };
    expect(await world.reject(upsert(a, 9), gone)).toEqual({ kind: 'done' });
    expect(await world.parked()).toEqual([]);
    expect(await world.reject(upsert(a, 1), gone)).toEqual({ kind: 'done' });
    expect(await world.parked()).toHaveLength(1);
  });
  test('[S4] of another client, or what is no offer, is passed over', async () => {
    const world = open();
    expect(await world.reject(upsert(a), invalid, 'others')).toEqual({ kind: 'done' });
    expect(await world.reject(upsert('x y'), invalid)).toEqual({ kind: 'done' });
    expect(await world.parked()).toEqual([]);
  });
  test('[S4] waits in its topic while the lot is away', async () => {
    const world = open({ io: () => errAsync(unavailable('lot')) });
    expect(await world.reject(upsert(a), invalid)).toMatchObject({ kind: 'retry' });
  });
});

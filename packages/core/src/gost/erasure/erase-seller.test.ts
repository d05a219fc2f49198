import { errAsync, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { makePageTokens, unavailable } from '../../kernel/index.ts';
import {
  blobServer,
  direct,
  inMemoryBlobStore,
  inMemoryGenericStorage,
  memoryDatabase,
  realClock,
  realIds,
  seededRandom,
  type BlobServer,
  type Io,
  type MemoryDatabase,
} from '../../kernel/testing.ts';
import { offerStatus, type OfferSource } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { StageName } from '../stages/stage.ts';
import { feedBatch, feedEntry } from '../testing/feed-samples.ts';
import { openTestGost } from '../testing/open-test-gost.ts';
import { inMemoryGostStores, publication } from '../testing/gost-stores.ts';
import { brokenLaws } from '../testing/store-laws.ts';
import { jsonGostCodecs } from '../testing/json-codecs.ts';
import { commandId, sampleCatalog, sampleContent, sampleOfferId, sampleSeller } from '../testing/samples.ts';
import { makeArchiveDueOffers } from '../archive/archive-due-offers.use-case.ts';
import { makeEraseArchived } from './erase-archived.use-case.ts';
import { makeEraseSeller } from './erase-seller.use-case.ts';
import { makeEraseTraces } from './erase-traces.use-case.ts';
import { openProcessOffers } from '../commit/process-offers.store.ts';
import { defaultGostSettings } from '../settings.ts';
import { makeStages } from '../stages/stages.use-case.ts';

const seller = sampleSeller();
const SECRET = 'secret';
const tokens = makePageTokens({
  sign: (text) => `s${text.length}`,
  verify: (text, seal) => seal === `s${text.length}`,
});
const settings = {
  ...defaultGostSettings,
  shards: 1,
  retry: { ...defaultGostSettings.retry, attemptsMax: 1 },
};

/** What a process leaves behind. */
type World = { readonly db: MemoryDatabase; readonly server: BlobServer };
/** A process over the world; `io` is how it reaches it. */
const processOn = ({ db, server }: World, io: Io = direct, slice = 2) => {
  const stores = inMemoryGostStores(db, io);
  const blobs = inMemoryBlobStore(server, io);
  const storage = inMemoryGenericStorage(db, io);
  const deciding = { clock: realClock, random: seededRandom(1), settings };
  const gost = openTestGost({ ...deciding, stores, blobs, newName: realIds.next });
  const traces = makeEraseTraces({
    ...stores,
    ...deciding,
    storage,
    offers: openProcessOffers(stores.offers, { clock: realClock, lingerMs: 0, memoryBytes: 0 }),
  });
  const erase = makeEraseSeller({
    scan: stores.scan,
    changeOffers: gost.changeOffers,
    traces,
    eraseArchived: makeEraseArchived({
      ...deciding,
      archive: stores.archive,
      blobs,
      codecs: jsonGostCodecs,
      ids: realIds,
      traces,
      catalog: () => ok(sampleCatalog),
    }),
    tokens,
    slice,
  });
  const stages = makeStages({
    load: (ids) => stores.offers.load(ids),
    archive: stores.archive,
    storage,
    bytesMax: 1_000,
  });
  return { stores, gost, erase, stages };
};
/** Until nothing is left. */
const eraseAll = async ({ erase }: Pick<ReturnType<typeof processOn>, 'erase'>) => {
  const told = { offers: 0, erased: 0, entries: 0 };
  for (let cursor: string | undefined; ;) {
    const slice = await erase({ seller, ...(cursor === undefined ? {} : { cursor }) });
    if (slice.isErr()) return slice;
    told.offers += slice.value.offers;
    told.erased += slice.value.erased;
    told.entries += slice.value.entries;
    cursor = slice.value.cursor;
    if (cursor === undefined) return ok(told);
  }
};
const said = { title: `${SECRET} title`, place: { address: `${SECRET} street, Казань`, point: undefined } };
const photos = [`https://photos.test/${SECRET}.jpg`];
const contacts = { name: SECRET, phone: undefined, email: `${SECRET}@mail.test` };

/** A seller with offers in every state, one of them of a feed, a draft and stages; and another seller. */
const sellersIn = async (world: World): Promise<void> => {
  const { stores, gost, stages } = processOn(world);
  const content = { ...said, photos, contacts };
  const changes = [1, 2, 3, 4, 5].map((n) => publication(n, { shards: 1, content }));
  await stores.offers.commit([
    { changes },
    { changes: [publication(9, { seller: sampleSeller(2), content })] },
  ]);
  const change = async (n: number, command: object) =>
    (
      await gost.changeOffer({
        offerId: sampleOfferId(n),
        command: { id: commandId(`${SECRET}-${n}`), by: 'seller', ...command } as never,
      })
    )._unsafeUnwrap();
  await change(1, { kind: 'hide' });
  await change(2, { kind: 'sell', onPlatform: true });
  await change(3, { kind: 'ban', by: 'moderation', editable: true, reasons: [SECRET], opinionVersion: 1 });
  await change(4, { kind: 'remove' });
  const outcome = { kind: 'ready', imageId: `${SECRET}-image`, width: 1, height: 1 } as const;
  await change(5, { kind: 'photos', by: 'photos', photos: [{ url: photos[0]!, outcome }] });
  const feed = { seller, namespace: `${SECRET}-shop` };
  const batch = feedBatch(1, 0, [feedEntry(1, said), { ...feedEntry(2, {}), content: undefined }]);
  (await gost.applyFeedMessage({ ...batch, ...feed }))._unsafeUnwrap();
  const { category, ...text } = sampleContent(content);
  const draft = (await gost.currentDraft({ userId: seller, category }))._unsafeUnwrap();
  const owner = { kind: 'user', id: seller } as const;
  (await gost.saveDraft({ owner, draftId: draft.id, category, content: text }))._unsafeUnwrap();
  for (const [n, stage] of [
    [1, 'classifier'],
    [1, 'price-check'],
    [9, 'classifier'],
  ] as const) {
    const put = { offerId: sampleOfferId(n), stage: stage as StageName, expected: 0 };
    (await stages.put({ ...put, state: new TextEncoder().encode(SECRET) }))._unsafeUnwrap();
  }
};
const decoder = new TextDecoder();
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, one: unknown) => (one instanceof Uint8Array ? decoder.decode(one) : one));
/** Whether a segment still tells something of this seller. */
const wordsIn = (bytes: Uint8Array): boolean =>
  decoder
    .decode(bytes)
    .split('{"offer":')
    .some((record) => record.includes(SECRET) && record.includes('"seller-1"'));
/** Takes these offers, and the other seller's, out of the store, two to a segment. */
const archive = async (world: World, ns: readonly number[]): Promise<void> => {
  const { stores, gost } = processOn(world);
  if (ns.length === 0) return;
  const other = {
    offerId: sampleOfferId(9),
    command: { kind: 'remove', id: commandId(9), by: 'seller' },
  } as const;
  (await gost.changeOffer(other))._unsafeUnwrap();
  const wanted = new Set([...ns, 9].map(sampleOfferId));
  const archiveSome = makeArchiveDueOffers({
    ...stores,
    blobs: inMemoryBlobStore(world.server),
    codec: jsonGostCodecs.archived,
    clock: realClock,
    ids: realIds,
    random: seededRandom(2),
    timers: {
      due: (what, shard, untilUs, limit) =>
        stores.timers
          .due(what, shard, untilUs, 100)
          .map((keys) => keys.filter(({ offerId }) => wanted.has(offerId)).slice(0, limit)),
    },
    settings: { ...settings, archive: { ...settings.archive, afterUs: 0, batch: 2 } },
  });
  while ((await archiveSome(0))._unsafeUnwrap().archived > 0);
};
/** Rows that still tell something. The queue is what others will have heard before they hear of the erasure. */
const telling = ({ db, server }: World): string[] => [
  ...[...server.areas.values()].flatMap((blobs) =>
    [...blobs].filter(([, bytes]) => wordsIn(bytes)).map(([hash]) => `a segment ${hash}`),
  ),
  ...[...db.tables].flatMap(([name, { rows }]) =>
    name === 'gost_queue'
      ? []
      : [...rows]
          .filter(([key, row]) => `${key} ${textOf(row)}`.includes(SECRET))
          .filter(
            ([key, row]) =>
              !`${key} ${textOf(row)}`.includes('seller-2') && !key.startsWith(sampleOfferId(9)),
          )
          .map(([key]) => `${name} ${key}`),
  ),
];
const open = async (archived: readonly number[] = []): Promise<World> => {
  const world = { db: memoryDatabase({ nowMs: () => 0 }), server: blobServer() };
  await sellersIn(world);
  await archive(world, archived);
  return world;
};
/** Of a feed, its progress stays, under the feed's name: it tells that there was one. */
const leftovers = (world: World) => telling(world).filter((row) => !row.startsWith('gost_feed_progress'));

describe('EraseSeller', () => {
  test('[G16] no text of the seller is left, and other sellers lose nothing', async () => {
    const world = await open();
    expect(leftovers(world).length).toBeGreaterThan(10);
    const process = processOn(world);
    const { stores } = process;
    const other = (await stores.offers.load([sampleOfferId(9)]))._unsafeUnwrap();
    const totals = (await stores.cabinet.totals(seller))._unsafeUnwrap();
    const told = (await eraseAll(process))._unsafeUnwrap();
    expect(told).toMatchObject({ offers: 6, erased: 6 });
    expect(leftovers(world)).toEqual([]);
    expect(await stores.offers.load([sampleOfferId(9)])).toEqual(ok(other));
    expect(
      (
        await process.stages.get({ offerId: sampleOfferId(9), stage: 'classifier' as StageName })
      )._unsafeUnwrap().version,
    ).toBe(1);
    const counts = (await stores.cabinet.counts(seller))._unsafeUnwrap();
    expect(Object.values(counts)).toEqual([0, 0, 0, 0, 0]);
    const after = (await stores.cabinet.totals(seller))._unsafeUnwrap();
    expect(after).toEqual({ ...totals, Active: 0, Expired: 0, Banned: 0 });
    expect(after).toMatchObject({ Sold: 1, MoneyEarned: { RUB: 100_000 } });
  });
  test('[G16] every offer is told once more as removed and empty; laws hold; ids and versions stay', async () => {
    const process = processOn(await open());
    (await eraseAll(process))._unsafeUnwrap();
    const queued = (await process.stores.queue.read(0, 1_000))._unsafeUnwrap();
    const updates = queued.filter(({ topic }) => topic === 'gost-offer-updates');
    const views = updates.map(
      ({ value }) => JSON.parse(decoder.decode(value)) as { id: OfferId; version: number; status: string },
    );
    const versions = new Map<OfferId, number[]>();
    for (const { id, version } of views) versions.set(id, [...(versions.get(id) ?? []), version]);
    expect(await brokenLaws(process.stores, seller, versions)).toEqual([]);
    const last = new Map(views.map((view) => [view.id, view]));
    last.delete(sampleOfferId(9));
    expect([...last.values()].map(({ status }) => status)).toEqual(Array(6).fill('removed'));
    expect(textOf([...last.values()])).not.toContain(SECRET);
  });
  test('[G16] the second time there is nothing to do, and nothing is written', async () => {
    const world = await open([2, 4]);
    await eraseAll(processOn(world));
    const commits = world.db.commits.length;
    expect(await eraseAll(processOn(world))).toEqual(ok({ offers: 6, erased: 0, entries: 0 }));
    expect(world.db.commits.length).toBe(commits);
  });
  test('[G16] an erased offer stays erased: edits are refused, no feed brings it back, opinions only go to the history', async () => {
    const process = processOn(await open());
    await eraseAll(process);
    const source: OfferSource = { namespace: 'n', externalId: 'e' };
    for (const [command, kind] of [
      [{ kind: 'edit', content: sampleContent() }, 'NotFound'],
      [{ kind: 'activate' }, 'NotFound'],
      [{ kind: 'feedUpdate', content: sampleContent(), geo: undefined, source }, 'NotFound'],
    ] as const) {
      const verdict = await process.gost.changeOffer({
        offerId: sampleOfferId(3),
        command: { id: commandId(kind), by: 'seller', ...command },
      });
      expect(verdict._unsafeUnwrapErr().kind).toBe(kind);
    }
    const [offer] = (await process.stores.offers.load([sampleOfferId(3)]))._unsafeUnwrap();
    expect([offer!.version, offerStatus(offer!)]).toEqual([3, 'removed']);
  });
  test('[G16] a cursor of another seller is refused', async () => {
    const { erase } = processOn(await open(), direct, 1);
    const { cursor } = (await erase({ seller }))._unsafeUnwrap();
    expect(await erase({ seller: sampleSeller(2), cursor: cursor! })).toMatchObject({
      error: { kind: 'InvalidPageToken' },
    });
  });

  /** Answers of the first `steps` requests; then the process is dead. `lost`: the last one it made was still done. */
  const dyingAfter = (steps: number, lost: boolean): { io: Io; made: () => number } => {
    let made = 0;
    const io: Io = <T, E>(_op: unknown, work: () => Result<T, E>) => {
      made++;
      if (made <= steps) return okAsync(undefined).andThen(work);
      if (made === steps + 1 && lost) work();
      return errAsync(unavailable('dead', undefined, false)) as ResultAsync<T, never>;
    };
    return { io, made: () => made };
  };
  test.each([false, true])(
    '[G16] [G17] killed at any request (done all the same: %s), the next call finishes it, in the archive too',
    async (lost) => {
      const whole = dyingAfter(Infinity, false);
      (await eraseAll(processOn(await open([2, 4]), whole.io)))._unsafeUnwrap();
      expect(whole.made()).toBeGreaterThan(30);
      for (let steps = 0; steps < whole.made(); steps++) {
        const world = await open([2, 4]);
        const died = await eraseAll(processOn(world, dyingAfter(steps, lost).io));
        expect(died.isErr(), `after ${steps}`).toBe(true);
        expect((await eraseAll(processOn(world))).isOk()).toBe(true);
        expect(leftovers(world).filter(isNamed(world)), `after ${steps}`).toEqual([]);
      }
    },
  );

  /** A crashed process leaves an unused segment: the sweep deletes it. */
  const isNamed =
    ({ db }: World) =>
    (row: string): boolean =>
      !row.startsWith('a segment') ||
      [...(db.tables.get('gost_archive_segment')?.rows.keys() ?? [])].some((key) =>
        key.startsWith(row.slice('a segment '.length)),
      ) ||
      db.tables.get('gost_archive_condemned')?.rows.has(row.slice('a segment '.length)) === true;

  test('[G16] [G17] nothing that the seller said stays in the archive; others keep theirs, to the byte', async () => {
    const world = await open([1, 2, 3, 4, 5]);
    const process = processOn(world);
    const { stores, gost } = process;
    const ids = [2, 4, 9].map(sampleOfferId);
    expect((await stores.archive.find(ids))._unsafeUnwrap()).toHaveLength(3);
    const other = (await gost.readArchive([sampleOfferId(9)]))._unsafeUnwrap();
    const before = (await gost.readArchive([sampleOfferId(2)]))._unsafeUnwrap()[0]!;
    expect((await eraseAll(process))._unsafeUnwrap()).toMatchObject({ offers: 6, erased: 6 });
    expect(leftovers(world)).toEqual([]);
    expect(await stores.archive.condemned(9)).toEqual(ok([]));
    expect(await gost.readArchive([sampleOfferId(9)])).toEqual(ok(other));
    const after = (await gost.readArchive([sampleOfferId(2)]))._unsafeUnwrap()[0]!;
    expect(after).toMatchObject({
      archivedAtUs: before.archivedAtUs,
      offer: { version: before.offer.version + 1 },
    });
    expect(after.history.map(({ command }) => command)).toEqual([
      'erase',
      ...before.history.map(({ command }) => command),
    ]);
    expect(after.history[1]!.sale).toEqual(before.history[0]!.sale);
  });
  test('[G16] [G17] an archived offer is told once more as removed and empty, after all that was told before', async () => {
    const world = await open([2, 4]);
    const process = processOn(world);
    (await eraseAll(process))._unsafeUnwrap();
    const queued = (await process.stores.queue.read(0, 1_000))._unsafeUnwrap();
    for (const n of [2, 4]) {
      const views = queued
        .filter(({ topic, key }) => topic === 'gost-offer-updates' && key === sampleOfferId(n))
        .map(({ value }) => JSON.parse(decoder.decode(value)) as { version: number; status: string });
      expect(views.map(({ version }) => version)).toEqual([1, 2, 3]);
      expect(views.at(-1)).toMatchObject({ status: 'removed' });
      expect(textOf(views.at(-1))).not.toContain(SECRET);
    }
  });
  test('[G16] [G17] an offer that goes to the archive while its page is worked on is found there', async () => {
    const world = await open();
    const { stores } = processOn(world);
    let moved = false;
    const io: Io = (op, work) => {
      const answer = work();
      const race = async () => {
        if (op.name === 'gost.ofSeller' && !moved) {
          moved = true;
          await archive(world, [2, 4]);
        }
        return answer;
      };
      return new ResultAsync(race());
    };
    (await eraseAll(processOn(world, io, 100)))._unsafeUnwrap();
    expect((await stores.archive.find([2, 4].map(sampleOfferId)))._unsafeUnwrap()).toHaveLength(2);
    expect(leftovers(world)).toEqual([]);
  });
});

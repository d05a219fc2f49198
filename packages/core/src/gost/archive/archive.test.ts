import { errAsync, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { makePageTokens, makeSweepSegments, unavailable, type BlobStore } from '../../kernel/index.ts';
import {
  blobServer,
  direct,
  inMemoryBlobStore,
  inMemoryGenericStorage,
  manualClock,
  memoryDatabase,
  realIds,
  seededRandom,
  type Io,
} from '../../kernel/testing.ts';
import { archivedOf } from './archiving.ts';
import type { ChangeCommand } from '../offer/command.ts';
import type { DraftId } from '../drafts/draft.ts';
import type { StageName } from '../stages/stage.ts';
import { openTestGost } from '../testing/open-test-gost.ts';
import { alteration, inMemoryGostStores, publication } from '../testing/gost-stores.ts';
import { jsonFlowCodecs, jsonGostCodecs } from '../testing/json-codecs.ts';
import { commandId, sampleContent, sampleOfferId, sampleSeller } from '../testing/samples.ts';
import { makeArchiveDueOffers } from './archive-due-offers.use-case.ts';
import { makeBulkChange } from '../offer/bulk-change.use-case.ts';
import type { ConsumedOutcome } from '../consumed-record.use-case.ts';
import { makeConsumeOpinions } from '../moderation/consume-opinions.use-case.ts';
import { makeConsumePhotoResults } from '../photos/consume-photo-results.use-case.ts';
import { makeGetOfferHistory } from '../history/get-offer-history.use-case.ts';
import { ARCHIVE_AREA, UNNAMED_SPACE } from './segments.store.ts';
import { defaultGostSettings } from '../settings.ts';
import { makeStages } from '../stages/stages.use-case.ts';

const DAY_MS = 86_400_000;
const seller = sampleSeller();
const tokens = makePageTokens({
  sign: (text) => `s${text.length}`,
  verify: (text, seal) => seal === `s${text.length}`,
});
const settings = {
  ...defaultGostSettings,
  shards: 1,
  retry: { ...defaultGostSettings.retry, attemptsMax: 1 },
};
const worldOf = () => {
  const { clock, advance } = manualClock(1_000 * DAY_MS);
  return { clock, advance, db: memoryDatabase({ nowMs: clock.nowMs }), server: blobServer() };
};
type World = ReturnType<typeof worldOf>;
/** A process over the world; `io` is how it reaches it. */
const processOn = (
  { clock, db, server }: World,
  { io = direct, batch = 10 }: { readonly io?: Io; readonly batch?: number } = {},
) => {
  const stores = inMemoryGostStores(db, io);
  const blobs = inMemoryBlobStore(server, io);
  const own = { ...settings, archive: { ...settings.archive, batch } };
  const needs = { stores, clock, random: seededRandom(1), blobs };
  const gost = openTestGost({ ...needs, newName: realIds.next, settings: own });
  const storage = inMemoryGenericStorage(db, io);
  const sweep = makeSweepSegments({
    archive: stores.archive,
    area: ARCHIVE_AREA,
    space: UNNAMED_SPACE,
    blobs,
    storage,
    clock,
    graceMs: DAY_MS,
  });
  const history = makeGetOfferHistory({ offers: stores.offers, readArchive: gost.readArchive, tokens });
  return { stores, blobs, gost, storage, history, sweep: () => sweep(new AbortController().signal) };
};
type Process = ReturnType<typeof processOn>;
const order = (n: number, command: Omit<ChangeCommand, 'id' | 'by'> & object, by = 'seller') => ({
  offerId: sampleOfferId(n),
  command: { id: commandId(`${n}/${JSON.stringify(command)}`), by, ...command } as unknown as ChangeCommand,
});
/** Offers that were published and then sold, now. */
const sold = async ({ gost, stores }: Process, { clock }: World, ...ns: number[]) => {
  const nowUs = clock.nowMs() * 1_000;
  const changes = ns.map((n) => publication(n, { shards: 1, nowUs }));
  (await stores.offers.commit([{ changes }]))._unsafeUnwrap();
  for (const n of ns)
    (await gost.changeOffer(order(n, { kind: 'sell', onPlatform: true } as never)))._unsafeUnwrap();
};
const segments = ({ server }: World): readonly string[] => [
  ...(server.areas.get(ARCHIVE_AREA)?.keys() ?? []),
];

describe('archiving', () => {
  test('[G17] what was retired long enough ago leaves the store, segment by segment, and is found as it was', async () => {
    const world = worldOf();
    const process = processOn(world, { batch: 2 });
    const { gost, stores } = process;
    await sold(process, world, 1, 2, 3);
    await world.advance(180 * DAY_MS - 1);
    await sold(process, world, 4);
    expect(await gost.archiveDue(0)).toEqual(ok({ found: 0, archived: 0, oldestAtUs: undefined }));
    await world.advance(10);
    const before = (await stores.offers.load([1, 2, 3].map(sampleOfferId)))._unsafeUnwrap();
    const told = (await process.history({ offerId: sampleOfferId(1), pageSize: 9 }))._unsafeUnwrap();
    const first = (await gost.archiveDue(0))._unsafeUnwrap();
    expect(first).toMatchObject({ found: 2, archived: 2 });
    expect(first.oldestAtUs).toBe(1_180 * DAY_MS * 1_000 + 1);
    expect((await gost.archiveDue(0))._unsafeUnwrap()).toMatchObject({ found: 1, archived: 1 });
    expect(segments(world)).toHaveLength(2);
    expect(await stores.offers.load([1, 2, 3].map(sampleOfferId))).toEqual(ok([]));
    const found = (await gost.findOffers([1, 2, 3, 4, 5].map(sampleOfferId)))._unsafeUnwrap();
    const archivedAtUs = world.clock.nowMs() * 1_000;
    for (const offer of before)
      expect(found).toContainEqual({ offer: archivedOf(offer, []).offer, archivedAtUs });
    expect(found.filter((one) => one.archivedAtUs === undefined)).toHaveLength(1);
    expect(found).toHaveLength(4);
    const again = (await process.history({ offerId: sampleOfferId(1), pageSize: 9 }))._unsafeUnwrap();
    expect(again.entries).toEqual(told.entries);
    expect(again.archivedAtUs).toBe(archivedAtUs);
    expect(again.why[0]).toBe(told.why[0]);
    expect(again.why[1]).toMatch(/^It is in the archive since 1973-03-26 /);
  });
  test('[G17] a history that is paged through goes on in the archive; strangers are told nothing', async () => {
    const world = worldOf();
    const process = processOn(world);
    await sold(process, world, 1);
    const query = { offerId: sampleOfferId(1), pageSize: 1 };
    const page = (await process.history(query))._unsafeUnwrap();
    await world.advance(181 * DAY_MS);
    (await process.gost.archiveDue(0))._unsafeUnwrap();
    const next = (await process.history({ ...query, pageToken: page.nextPageToken! }))._unsafeUnwrap();
    expect(next.entries.map(({ version }) => version)).toEqual([1]);
    expect(next.nextPageToken).toBeUndefined();
    expect(await process.history({ ...query, seller: sampleSeller(2) })).toMatchObject({
      error: { kind: 'NotOwner' },
    });
  });
  test('[G17] a segment is bounded in bytes and in entries; what does not fit comes with the next', async () => {
    const world = worldOf();
    const { stores, blobs } = processOn(world);
    await sold(processOn(world), world, 1, 2, 3);
    await world.advance(181 * DAY_MS);
    const archiveDue = makeArchiveDueOffers({
      ...stores,
      blobs,
      codec: jsonGostCodecs.archived,
      clock: world.clock,
      ids: realIds,
      random: seededRandom(1),
      settings: { ...settings, archive: { ...settings.archive, segmentBytes: 1 } },
    });
    for (let n = 0; n < 3; n++)
      expect((await archiveDue(0))._unsafeUnwrap()).toMatchObject({ found: 3 - n, archived: 1 });
    expect(segments(world)).toHaveLength(3);
  });
  test('[G17] what would not be read again stays in the store, and the others go', async () => {
    const world = worldOf();
    const { stores, blobs } = processOn(world);
    await sold(processOn(world), world, 1, 2);
    await world.advance(181 * DAY_MS);
    const codec: typeof jsonGostCodecs.archived = {
      ...jsonGostCodecs.archived,
      decode: (bytes) =>
        jsonGostCodecs.archived
          .decode(bytes)
          .map((one) => (one.offer.id === sampleOfferId(1) ? { ...one, history: [] } : one)),
    };
    const archiveDue = makeArchiveDueOffers({
      ...stores,
      blobs,
      codec,
      clock: world.clock,
      ids: realIds,
      random: seededRandom(1),
      settings,
    });
    expect((await archiveDue(0))._unsafeUnwrap()).toMatchObject({ found: 2, archived: 1 });
    expect((await stores.offers.load([1, 2].map(sampleOfferId)))._unsafeUnwrap()).toHaveLength(1);
  });
  test('[G17] an offer that changes while its segment is put stays; the others go without it, and no bytes of it are left', async () => {
    const world = worldOf();
    const process = processOn(world);
    await sold(process, world, 1, 2);
    await world.advance(181 * DAY_MS);
    let raced = false;
    const blobs: BlobStore = {
      ...process.blobs,
      put: (area, chunks, limits) =>
        process.blobs.put(area, chunks, limits).map(async (ref) => {
          if (!raced) await process.gost.changeOffer(order(1, { kind: 'activate' } as never));
          raced = true;
          return ref;
        }),
    };
    const gost = openTestGost({
      stores: process.stores,
      clock: world.clock,
      random: seededRandom(1),
      newName: realIds.next,
      blobs,
      settings,
    });
    expect((await gost.archiveDue(0))._unsafeUnwrap()).toMatchObject({ found: 2, archived: 1 });
    const [active] = (await process.stores.offers.load([1, 2].map(sampleOfferId)))._unsafeUnwrap();
    expect(active).toMatchObject({ id: sampleOfferId(1), lifecycle: 'active', version: 3 });
    expect(segments(world)).toHaveLength(1);
    const bytes = [...world.server.areas.get(ARCHIVE_AREA)!.values()][0]!;
    expect(new TextDecoder().decode(bytes)).not.toContain(sampleOfferId(1));
  });

  /** The process dies at its (n+1)-th request; `lost`: that one was still done. */
  const dyingAfter = (steps: number, lost: boolean): { readonly io: Io; readonly made: () => number } => {
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
    '[G17] killed at any request (done all the same: %s), nothing is lost, nothing is there twice, and the sweep leaves no bytes behind',
    async (lost) => {
      const open = async () => {
        const world = worldOf();
        await sold(processOn(world), world, 1, 2, 3);
        await world.advance(181 * DAY_MS);
        return world;
      };
      const whole = dyingAfter(Infinity, false);
      (await processOn(await open(), { io: whole.io }).gost.archiveDue(0))._unsafeUnwrap();
      expect(whole.made()).toBeGreaterThanOrEqual(6);
      for (let steps = 0; steps < whole.made(); steps++) {
        const world = await open();
        await processOn(world, { io: dyingAfter(steps, lost).io }).gost.archiveDue(0);
        const { gost, stores, sweep } = processOn(world);
        const ids = [1, 2, 3].map(sampleOfferId);
        const live = (await stores.offers.load(ids))._unsafeUnwrap().length;
        const archived = (await stores.archive.find(ids))._unsafeUnwrap().length;
        expect([live, archived], `after ${steps}`).toEqual(live === 0 ? [0, 3] : [3, 0]);
        expect((await gost.findOffers(ids))._unsafeUnwrap()).toHaveLength(3);
        (await gost.archiveDue(0))._unsafeUnwrap();
        for (let pass = 0; pass < 2; pass++) {
          (await sweep())._unsafeUnwrap();
          await world.advance(DAY_MS);
        }
        expect(segments(world), `after ${steps}`).toHaveLength(1);
        expect((await gost.findOffers(ids))._unsafeUnwrap()).toHaveLength(3);
      }
    },
  );
});

describe('an archived offer', () => {
  const archived = async () => {
    const world = worldOf();
    const process = processOn(world);
    await sold(process, world, 1, 2);
    await world.advance(181 * DAY_MS);
    (await process.gost.archiveDue(0))._unsafeUnwrap();
    await world.advance(DAY_MS);
    return { ...process, world };
  };
  const since = 1_181 * DAY_MS * 1_000;

  test('[G17] an archived offer refuses commands and says since when it is archived; an unknown one is not found; other sellers are refused', async () => {
    const { gost, stores, world } = await archived();
    const commits = world.db.commits.length;
    for (const command of [
      { kind: 'edit', content: sampleContent() },
      { kind: 'activate' },
      { kind: 'remove' },
      { kind: 'unban', opinionVersion: 7 },
    ])
      expect(await gost.changeOffer(order(1, command as never))).toMatchObject({
        error: { kind: 'Archived', offerId: sampleOfferId(1), archivedAtUs: since },
      });
    const stranger = order(1, { kind: 'hide', seller: sampleSeller(2) } as never);
    expect(await gost.changeOffer(stranger)).toMatchObject({ error: { kind: 'NotOwner' } });
    expect(await gost.changeOffer(order(7, { kind: 'hide' } as never))).toMatchObject({
      error: { kind: 'NotFound' },
    });
    expect(world.db.commits.length).toBe(commits);
    expect((await stores.queue.read(0, 100))._unsafeUnwrap()).toHaveLength(4);
  });
  test('[G16] [G17] has a verdict of its own among many', async () => {
    const { gost, stores, world } = await archived();
    const change = publication(3, { shards: 1, nowUs: world.clock.nowMs() * 1_000 });
    (await stores.offers.commit([{ changes: [change] }]))._unsafeUnwrap();
    const bulk = makeBulkChange(gost.changeOffers);
    const verdicts = (
      await bulk({
        seller,
        action: 'hide',
        commandId: commandId('bulk'),
        offerIds: [1, 3, 8].map(sampleOfferId),
      })
    )._unsafeUnwrap();
    expect(verdicts.map(({ verdict }) => (verdict.isOk() ? 'ok' : verdict.error.kind))).toEqual([
      'Archived',
      'ok',
      'NotFound',
    ]);
  });
  test('[G7] [G9] [G17] opinions and photo answers about it are counted, and not tried again', async () => {
    const { gost } = await archived();
    const outcomes: (readonly [string, ConsumedOutcome])[] = [];
    const consumeOpinions = makeConsumeOpinions({
      changeOffer: gost.changeOffer,
      codec: jsonFlowCodecs.opinions,
      onOutcome: (outcome) => outcomes.push(['moderation', outcome]),
    });
    const consumePhotoResults = makeConsumePhotoResults({
      changeOffer: gost.changeOffer,
      codec: jsonFlowCodecs.photoResults,
      onOutcome: (outcome) => outcomes.push(['photos', outcome]),
    });
    const position = { log: 'l', partition: 0, offset: 0 };
    const record = (value: Uint8Array) => ({ value, position }) as never;
    const signal = new AbortController().signal as never;
    const offerId = sampleOfferId(1);
    const opinion = { offerId, version: 9, verdict: 'banned', reasons: [], editable: false } as const;
    expect(await consumeOpinions(record(jsonFlowCodecs.opinions.encode(opinion)), signal)).toEqual({
      kind: 'done',
    });
    const photos = jsonFlowCodecs.photoResults.encode({ offerId, photos: [] });
    expect(await consumePhotoResults(record(photos), signal)).toEqual({ kind: 'done' });
    expect(outcomes).toEqual([
      ['moderation', 'archived'],
      ['photos', 'archived'],
    ]);
  });
  test('[G2] [G17] is still what its draft was published as', async () => {
    const world = worldOf();
    const { gost, stores } = processOn(world);
    const { category, ...content } = sampleContent();
    const draft = (await gost.currentDraft({ userId: seller, category }))._unsafeUnwrap();
    const owner = { kind: 'user', id: seller } as const;
    (await gost.saveDraft({ owner, draftId: draft.id, category, content }))._unsafeUnwrap();
    const made = (await gost.publishDraft({ seller, draftId: draft.id }))._unsafeUnwrap();
    const command = { kind: 'remove', id: commandId('gone'), by: 'seller' } as const;
    const removed = (await gost.changeOffer({ offerId: made.offerId, command }))._unsafeUnwrap();
    await world.advance(181 * DAY_MS);
    (await gost.archiveDue(0))._unsafeUnwrap();
    expect((await stores.archive.find([made.offerId]))._unsafeUnwrap()).toHaveLength(1);
    const again = (await gost.publishDraft({ seller, draftId: draft.id }))._unsafeUnwrap();
    expect(again).toMatchObject({ offerId: made.offerId, version: removed.version, status: 'removed' });
    expect((await gost.publishDraft({ seller, draftId: 'other' as DraftId })).isErr()).toBe(true);
  });
  test('[G10] [G17] keeps what stages know of it, and takes no more', async () => {
    const world = worldOf();
    const { gost, stores, storage } = processOn(world);
    await sold(processOn(world), world, 1);
    const stages = makeStages({
      load: (ids) => stores.offers.load(ids),
      archive: stores.archive,
      storage,
      bytesMax: 10,
    });
    const place = { offerId: sampleOfferId(1), stage: 'classifier' as StageName };
    const state = new Uint8Array([7]);
    (await stages.put({ ...place, state, expected: 0 }))._unsafeUnwrap();
    await world.advance(181 * DAY_MS);
    (await gost.archiveDue(0))._unsafeUnwrap();
    expect(await stages.get(place)).toEqual(ok({ version: 1, state }));
    expect(await stages.put({ ...place, state, expected: 1 })).toMatchObject({ error: { kind: 'Archived' } });
    expect(await stages.get({ ...place, offerId: sampleOfferId(8) })).toMatchObject({
      error: { kind: 'NotFound' },
    });
  });
  test('[G17] is read where it is now when its segment was written anew under the reader', async () => {
    const { stores, blobs, world, gost } = await archived();
    const [pointer] = (await stores.archive.find([sampleOfferId(1)]))._unsafeUnwrap();
    const all = (await stores.archive.ofSegment(pointer!.segment))._unsafeUnwrap();
    const content = world.server.areas.get(ARCHIVE_AREA)!.get(pointer!.segment)!;
    async function* chunks() {
      yield content;
      yield new Uint8Array([0]);
    }
    const { hash } = (await blobs.put(ARCHIVE_AREA, chunks(), { bytesMax: 1e6 }))._unsafeUnwrap();
    let looks = 0;
    const find: typeof stores.archive.find = (ids) =>
      stores.archive.find(ids).andThen((found) => {
        if (looks++ > 0) return okAsync(found);
        const pointers = all.map((one) => ({ ...one, segment: hash }));
        return stores.archive
          .rewrite({ segment: pointer!.segment, pointers, outbox: [] })
          .mapErr(() => unavailable('refused'))
          .andThen(() => blobs.delete({ area: ARCHIVE_AREA, hash: pointer!.segment }))
          .map(() => found);
      });
    const racing = openTestGost({
      stores: { ...stores, archive: { ...stores.archive, find } },
      clock: world.clock,
      blobs,
      random: seededRandom(1),
      newName: realIds.next,
    });
    expect((await racing.findOffers([sampleOfferId(1)]))._unsafeUnwrap()).toHaveLength(1);
    expect(looks).toBe(2);
    // Without its bytes it is neither found nor said not to be there.
    await blobs.delete({ area: ARCHIVE_AREA, hash });
    expect((await gost.findOffers([sampleOfferId(1)]))._unsafeUnwrapErr().kind).toBe('Unavailable');
  });
});

describe('sweeping', () => {
  const put = async ({ blobs }: Process, n: number): Promise<void> => {
    async function* chunks() {
      yield new Uint8Array([n]);
    }
    (await blobs.put(ARCHIVE_AREA, chunks(), { bytesMax: 9 }))._unsafeUnwrap();
  };
  test('[G17] an unused segment is deleted after two sweeps a day apart; a used one never', async () => {
    const world = worldOf();
    const process = processOn(world);
    await sold(process, world, 1);
    await world.advance(181 * DAY_MS);
    (await process.gost.archiveDue(0))._unsafeUnwrap();
    await put(process, 1);
    expect((await process.sweep())._unsafeUnwrap()).toEqual({ segments: 2, unnamed: 1, deleted: 0 });
    await world.advance(DAY_MS - 1);
    await put(process, 2);
    expect((await process.sweep())._unsafeUnwrap()).toEqual({ segments: 3, unnamed: 2, deleted: 0 });
    await world.advance(1);
    expect((await process.sweep())._unsafeUnwrap()).toEqual({ segments: 3, unnamed: 2, deleted: 1 });
    await world.advance(DAY_MS);
    expect((await process.sweep())._unsafeUnwrap()).toEqual({ segments: 2, unnamed: 1, deleted: 1 });
    expect((await process.sweep())._unsafeUnwrap()).toEqual({ segments: 1, unnamed: 0, deleted: 0 });
    expect((await process.gost.findOffers([sampleOfferId(1)]))._unsafeUnwrap()).toHaveLength(1);
    expect((await process.storage.list('gost.archive-unnamed', { limit: 9 }))._unsafeUnwrap()).toEqual([]);
  });
  test('[G17] a mover that slept through the sweep is refused, and moves anew', async () => {
    const world = worldOf();
    const process = processOn(world);
    await sold(process, world, 1);
    await world.advance(181 * DAY_MS);
    let slept = false;
    const archive: typeof process.stores.archive = {
      ...process.stores.archive,
      move: (moves) => {
        if (slept) return process.stores.archive.move(moves);
        slept = true;
        const sleep = async () => {
          for (let pass = 0; pass < 2; pass++) {
            (await process.sweep())._unsafeUnwrap();
            await world.advance(DAY_MS);
          }
          return process.stores.archive.move(moves);
        };
        return new ResultAsync(sleep());
      },
    };
    const gost = openTestGost({
      stores: { ...process.stores, archive },
      clock: world.clock,
      blobs: process.blobs,
      settings,
      random: seededRandom(1),
      newName: realIds.next,
    });
    expect((await gost.archiveDue(0))._unsafeUnwrap()).toMatchObject({ found: 1, archived: 0 });
    expect(segments(world)).toEqual([]);
    expect((await gost.archiveDue(0))._unsafeUnwrap()).toMatchObject({ found: 1, archived: 1 });
    expect((await gost.findOffers([sampleOfferId(1)]))._unsafeUnwrap()).toHaveLength(1);
  });
  test('[G17] a segment that gets its name after all is forgotten', async () => {
    const world = worldOf();
    const process = processOn(world);
    await sold(process, world, 1);
    await put(process, 1);
    (await process.sweep())._unsafeUnwrap();
    const [offer] = (await process.stores.offers.load([sampleOfferId(1)]))._unsafeUnwrap();
    expect(alteration(offer!, { kind: 'remove' }).offer.version).toBe(3);
    await world.advance(181 * DAY_MS);
    const [segment] = segments(world);
    const pointer = {
      offerId: offer!.id,
      seller,
      version: offer!.version,
      segment: segment as never,
      offset: 0,
      length: 1,
      archivedAtUs: 1,
    };
    const move = { pointer, presets: [], totals: [], stripe: 0, timer: undefined };
    expect(await process.stores.archive.move([move])).toEqual(ok([]));
    expect((await process.sweep())._unsafeUnwrap()).toEqual({ segments: 1, unnamed: 0, deleted: 0 });
    expect((await process.storage.list('gost.archive-unnamed', { limit: 9 }))._unsafeUnwrap()).toEqual([]);
  });
});

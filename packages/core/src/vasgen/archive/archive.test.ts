import { errAsync, okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import {
  makeSweepSegments,
  silentTelemetry,
  unavailable,
  type BatchOutcome,
  type Delivered,
} from '../../kernel/index.ts';
import {
  blobServer,
  countingIds,
  inMemoryBlobStore,
  inMemoryGenericStorage,
  memoryDatabase,
} from '../../kernel/testing.ts';
import type { IndexedDocument } from '../document/indexed-document.ts';
import { sampleClient, sampleDocument, sampleEpochs, sampleWrite } from '../testing/document-samples.ts';
import { inMemoryVasgenStores } from '../testing/in-memory-vasgen.ts';
import { jsonVasgenCodecs as codecs } from '../testing/json-vasgen-codecs.ts';
import { ARCHIVE_AREA } from './archive-segment.ts';
import type { ArchiveManifest } from './archive-manifest.port.ts';
import { makeArchiveTopic } from './archive-topic.worker.ts';
import { makeReadArchive } from './read-archive.use-case.ts';
import { makeScrubArchive } from './scrub-archive.use-case.ts';

const client = sampleClient();
const HORIZON_MS = 1_000;
const settings = { segmentRecords: 4, segmentBytes: 1 << 20, lingerMs: 100, retryMs: 50 };
const indexed = (pk: string, version: number, given: Partial<IndexedDocument> = {}): IndexedDocument => ({
  pk,
  place: { epoch: 1, version, timestampMs: version, kind: 'document' },
  schema: 1,
  document: sampleDocument({ pk, version, composedAtMs: version }),
  ...given,
});
const delivered = (offset: number, value: IndexedDocument, timestampMs = offset): Delivered => ({
  key: value.pk,
  value: codecs.indexed.encode(value),
  headers: {},
  timestampMs,
  position: { log: 'l', topic: 'vasgen-things-index', partition: 0, offset },
});

const world = (manifestOf: (real: ArchiveManifest) => ArchiveManifest = (real) => real) => {
  let nowMs = 10_000;
  const db = memoryDatabase({ nowMs: () => nowMs });
  const stores = inMemoryVasgenStores(db);
  const server = blobServer();
  const blobs = inMemoryBlobStore(server);
  const manifest = manifestOf(stores.archive);
  const ids = countingIds('segment');
  const clock = { nowMs: () => nowMs, after: () => () => undefined };
  const sent: { readonly topic: string; readonly documents: readonly unknown[] }[] = [];
  const needs = { manifest, blobs, segments: codecs.segment, records: codecs.indexed, ids, clock };
  const handle = makeArchiveTopic({ ...needs, telemetry: silentTelemetry, settings }, client);
  return {
    stores,
    server,
    blobs,
    sent,
    at: (ms: number) => (nowMs = ms),
    give: (...records: readonly Delivered[]): Promise<BatchOutcome> =>
      handle({ topic: 'vasgen-things-index', partition: 0, records }, new AbortController().signal),
    scrub: makeScrubArchive({ ...needs, erasuresKeptMs: 5_000 }),
    sweep: makeSweepSegments({
      archive: manifest,
      area: ARCHIVE_AREA,
      space: 'unnamed',
      blobs,
      storage: inMemoryGenericStorage(db),
      clock,
      graceMs: 500,
    }),
    archive: makeReadArchive({
      ...needs,
      batches: codecs.batch,
      epochs: { get: () => okAsync(sampleEpochs(undefined, [[1, 'serving'], [2, 'building']])) }, // prettier-ignore
      horizonMs: HORIZON_MS,
      log: {
        promises: { fences: false, joinsTransactions: false },
        publish: (records) => {
          for (const { topic, value } of records)
            sent.push({ topic, documents: codecs.batch.decode(value)._unsafeUnwrap().documents });
          return okAsync(undefined);
        },
      },
    }),
  };
};
type World = ReturnType<typeof world>;
const everything = { fromMs: 0, toMs: 1e9, limit: 100 };
const rowsOf = async ({ archive }: World) => (await archive.list(client, everything))._unsafeUnwrap();
const contents = async (w: World): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const row of await rowsOf(w))
    for (const { offset, record } of (await w.archive.read(row))._unsafeUnwrap())
      found.push(`${offset} ${record.pk}${record.document ? '' : ' deleted'}`);
  return found;
};
const blobsOf = ({ server }: World): number => server.areas.get(ARCHIVE_AREA)?.size ?? 0;
const four = [0, 1, 2, 3].map((n) => delivered(n, indexed(`p${n}`, n + 1), 9_990 + n));

test('[V10] a full batch is written as one segment and read back as it was', async () => {
  const w = world();
  expect(await w.give(...four)).toEqual({ kind: 'done' });
  expect(await rowsOf(w)).toMatchObject([
    { fromOffset: 0, toOffset: 3, fromMs: 9_990, toMs: 9_993, records: 4, scrubbedAtMs: 0 },
  ]);
  expect(await contents(w)).toEqual(['0 p0', '1 p1', '2 p2', '3 p3']);
});
test('[V10] a batch that is not full waits for more until its first record is old enough', async () => {
  const w = world();
  const early = delivered(0, indexed('a', 1), 9_950);
  expect(await w.give(early)).toEqual({ kind: 'later', retryAtMs: 10_050, handled: 0 });
  expect(await rowsOf(w)).toEqual([]);
  w.at(10_050);
  expect(await w.give(early)).toEqual({ kind: 'done' });
  expect(await rowsOf(w)).toHaveLength(1);
});
test('[V10] records that were archived before a crash are passed over when they are delivered again', async () => {
  const w = world();
  await w.give(...four);
  expect(await w.give(...four)).toEqual({ kind: 'done' });
  const more = [4, 5, 6, 7].map((n) => delivered(n, indexed(`p${n}`, n)));
  expect(await w.give(...four.slice(2), ...more)).toEqual({ kind: 'done' });
  expect((await rowsOf(w)).map(({ fromOffset, toOffset }) => [fromOffset, toOffset])).toEqual([
    [4, 7],
    [0, 3],
  ]);
});
test('[V10] the position does not move while blobs or rows can not be written', async () => {
  const w = world((real) => ({ ...real, add: () => errAsync(unavailable('archive.add')) }));
  expect(await w.give(...four)).toMatchObject({ kind: 'blocked', reason: 'archive.add', retryAtMs: 10_050 });
});
test('[V10] the bytes of a segment that no row names are deleted by the sweep, named ones stay', async () => {
  let isAway = true;
  const w = world((real) => ({
    ...real,
    add: (row) => (isAway ? errAsync(unavailable('archive.add')) : real.add(row)),
  }));
  await w.give(...four);
  isAway = false;
  await w.give(...four);
  expect(blobsOf(w)).toBe(2);
  const signal = new AbortController().signal;
  (await w.sweep(signal))._unsafeUnwrap();
  w.at(10_501);
  expect((await w.sweep(signal))._unsafeUnwrap()).toMatchObject({ deleted: 1 });
  expect(blobsOf(w)).toBe(1);
  expect(await contents(w)).toHaveLength(4);
});
test('[V10] two writers of one partition archive a record once', async () => {
  // The second writer has looked before the first one has written.
  const w = world((real) => ({ ...real, end: () => okAsync(0) }));
  expect(await w.give(...four)).toEqual({ kind: 'done' });
  expect(await w.give(...four)).toMatchObject({ kind: 'later' });
  expect(await rowsOf(w)).toHaveLength(1);
});
test('[V10] damaged bytes are noticed', async () => {
  const w = world();
  await w.give(...four);
  const [row] = await rowsOf(w);
  const area = w.server.areas.get(ARCHIVE_AREA)!;
  const bytes = Uint8Array.from(area.get(row!.hash)!);
  bytes[5]! ^= 1;
  area.set(row!.hash, bytes);
  expect((await w.archive.read(row!))._unsafeUnwrapErr()).toMatchObject({ kind: 'SegmentDamaged' });
  area.delete(row!.hash);
  expect((await w.archive.read(row!))._unsafeUnwrapErr()).toMatchObject({ kind: 'SegmentLost' });
  const unknown = await w.archive.read({ ...row!, fromOffset: 77 });
  expect(unknown._unsafeUnwrapErr()).toMatchObject({ kind: 'UnknownSegment' });
});

const erase = async (w: World, pk: string, atMs: number): Promise<void> => {
  (await w.stores.epochs.ensureClient(client, 4))._unsafeUnwrap();
  const write = sampleWrite({ pk, status: 'tombstone', writtenAtMs: atMs, place: { version: 1e6 } });
  (await w.stores.registry.accept(client, [{ ...write, erases: true }]))._unsafeUnwrap();
};
const scrub = async (w: World) => (await w.scrub(client, new AbortController().signal))._unsafeUnwrap();

test('[V16] after an erasure no body of the document is left in the archive; others and deletes stay', async () => {
  const w = world();
  await w.give(
    delivered(0, indexed('a', 1)),
    delivered(1, indexed('b', 1)),
    delivered(2, indexed('a', 2)),
    delivered(3, indexed('a', 3, { document: undefined })),
  );
  await erase(w, 'a', 10_000);
  expect(await scrub(w)).toEqual({ segments: 1, records: 2 });
  expect(await contents(w)).toEqual(['1 b', '3 a deleted']);
  const all = [...w.server.areas.get(ARCHIVE_AREA)!.values()].map((bytes) => new TextDecoder().decode(bytes));
  expect(all).toHaveLength(1);
  // Nothing is left to do, and what has no erased document is not rewritten.
  const [row] = await rowsOf(w);
  expect(await scrub(w)).toEqual({ segments: 0, records: 0 });
  expect((await rowsOf(w))[0]!.hash).toBe(row!.hash);
});
test('[V16] a document that was made anew after its erasure stays', async () => {
  const w = world();
  const made = (composedAtMs: number) =>
    indexed('a', 5, { place: { epoch: 1, version: 5, timestampMs: composedAtMs, kind: 'document' } });
  await w.give(delivered(0, made(500)), delivered(1, made(501)), ...four.slice(2));
  await erase(w, 'a', 500);
  expect(await scrub(w)).toEqual({ segments: 1, records: 1 });
  expect(await contents(w)).toEqual(['1 a', '2 p2', '3 p3']);
});
test('[V16] a body that is archived after its erasure leaves too, until the erasure is old', async () => {
  const w = world();
  await erase(w, 'p0', 10_000);
  expect(await scrub(w)).toEqual({ segments: 0, records: 0 });
  w.at(11_000);
  await w.give(...four);
  expect(await scrub(w)).toEqual({ segments: 1, records: 1 });
  w.at(15_001);
  await scrub(w);
  expect((await w.stores.archive.erasures(client, { limit: 9 }))._unsafeUnwrap()).toEqual([]);
});
test('[V16] two runs at once take a body out once and leave one segment', async () => {
  const w = world();
  await w.give(...four);
  await erase(w, 'p1', 10_000);
  await Promise.all([scrub(w), scrub(w)]);
  expect(await contents(w)).toEqual(['0 p0', '2 p2', '3 p3']);
  const signal = new AbortController().signal;
  await w.sweep(signal);
  w.at(20_000);
  await w.sweep(signal);
  expect(blobsOf(w)).toBe(1);
});

test('[V10] a window of time is replayed to the bulk topic, in order, deletes too', async () => {
  const w = world();
  await w.give(
    delivered(0, indexed('a', 1), 9_000),
    delivered(1, indexed('b', 1), 9_001),
    delivered(2, indexed('a', 2, { document: undefined }), 9_002),
    delivered(3, indexed('c', 1), 9_003),
  );
  const [row] = await rowsOf(w);
  const window = { fromMs: 9_001, toMs: 9_002, epoch: undefined };
  expect((await w.archive.replay(client, row!, window))._unsafeUnwrap()).toBe(2);
  expect(w.sent).toMatchObject([
    {
      topic: 'vasgen-indexer-bulk',
      documents: [
        { pk: 'b', event: 'upsert', epoch: 1, version: 1 },
        { pk: 'a', event: 'delete', epoch: 1, version: 2, composedAtMs: 2 },
      ],
    },
  ]);
});
test.each([
  ['from within the horizon into its own epoch', 9_000, undefined, undefined],
  ['from before the horizon into its own epoch', 8_999, undefined, 'InvalidInput'],
  ['from before the horizon into the serving epoch', 8_999, 1, 'InvalidInput'],
  ['from before the horizon into the building epoch', 8_999, 2, undefined],
  ['into an epoch that is not living', 9_500, 7, 'UnknownEpoch'],
])('[V5] a replay %s', async (_, fromMs, epoch, refusal) => {
  const w = world();
  await w.give(...four);
  const [row] = await rowsOf(w);
  const replayed = await w.archive.replay(client, row!, { fromMs, toMs: 1e9, epoch });
  if (refusal) expect(replayed._unsafeUnwrapErr()).toMatchObject({ kind: refusal });
  else {
    expect(replayed._unsafeUnwrap()).toBe(4);
    expect(w.sent[0]!.documents[0]).toMatchObject({ pk: 'p0', epoch: epoch ?? 1 });
  }
});

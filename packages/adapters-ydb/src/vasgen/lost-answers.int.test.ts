import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobHash } from '@doska/core/kernel';
import type { ResultAsync } from 'neverthrow';
import {
  clientName,
  documentShard,
  type ClientName,
  type FailedElement,
  type Refusal,
  type SegmentRow,
  type VasgenStores,
} from '@doska/core/vasgen';
import { sampleWrite } from '@doska/core/vasgen/testing';
import type { YdbClient } from '../driver/client.ts';
import { LOST_ANSWERS, losing, shortCalls } from '../testing/lost-answer.ts';
import { openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import { quickRetries } from '../testing/plan-faults.ts';
import { ydbVasgenStores } from './ydb-vasgen-stores.ts';

const SHARDS = 4;
const shard = documentShard('a', SHARDS);
let db: OpenYdb;
let connected: YdbClient;
let stores: VasgenStores;
beforeAll(async () => {
  db = await openYdb();
  ({ client: connected } = await openDirectory(db, { only: 'vasgen', retry: quickRetries, ...shortCalls }));
  stores = ydbVasgenStores(connected);
});
afterAll(async () => {
  await connected.close();
  await db.close();
});

const all = Number.MAX_SAFE_INTEGER;
const write = (given: Parameters<typeof sampleWrite>[0] = {}) => sampleWrite(given, { shard });
const accept = async (of: ClientName, ...writes: ReturnType<typeof write>[]) =>
  (await stores.registry.accept(of, writes))._unsafeUnwrap();
const main = (client: ClientName) => ({ client, queue: 'main', shard, group: 'indexer' }) as const;
const schema = { number: 1, fields: { title: { kind: 'text' as const } } };
const failed: FailedElement = {
  pk: 'a',
  epoch: 1,
  version: 1,
  timestampMs: 1_000,
  failure: { queue: 'main', reason: 'no converter', attempts: 1, retryAtMs: 9_000 },
};
const refusal: Refusal = {
  pk: 'a',
  epoch: 1,
  version: 3,
  timestampMs: 5,
  verdict: 'invalid',
  reason: 'price',
  atMs: 100,
};
const hashes = new Map<string, BlobHash>();
/** Bytes of a client's own. */
const hash = (of: ClientName, n: number): BlobHash => {
  const key = `${of}/${n}`;
  const known = hashes.get(key) ?? (String(hashes.size).padStart(64, '0') as BlobHash);
  hashes.set(key, known);
  return known;
};
const segment = (of: ClientName): SegmentRow => ({
  client: of,
  log: 'log-1',
  partition: 0,
  fromOffset: 10,
  toOffset: 19,
  fromMs: 10,
  toMs: 19,
  records: 10,
  bytes: 100,
  hash: hash(of, 1),
  checksum: 'c',
  writtenAtMs: 500,
  scrubbedAtMs: 0,
});
const value = async <T>(outcome: ResultAsync<T, unknown>): Promise<T> => (await outcome)._unsafeUnwrap();
const heads = (of: ClientName, queue: 'main' | 'failed' | 'emergency') =>
  value(stores.queues.heads(of, queue)).then((found) => found[shard]);

type Case = {
  readonly before?: (of: ClientName) => Promise<unknown>;
  readonly heard: 'done' | 'unknown';
  readonly call: (of: ClientName) => ResultAsync<unknown, unknown>;
  /** What stands afterwards, and what it must be. */
  readonly after: (of: ClientName) => Promise<unknown>;
  readonly stands: unknown;
};
const cases: Readonly<Record<string, Case>> = {
  'documents are accepted': {
    heard: 'unknown',
    call: (of) => stores.registry.accept(of, [write()]),
    after: async (of) => [await accept(of, write()).then(([one]) => one!.kind), await heads(of, 'main')],
    stands: ['kept', 1],
  },
  'a document adds fields': {
    heard: 'unknown',
    call: (of) => stores.registry.accept(of, [write()], { epoch: 1, to: schema }),
    after: async (of) => (await value(stores.epochs.load(of))).epochs[0]!.schema,
    stands: schema,
  },
  'an indexer commits': {
    heard: 'unknown',
    call: (of) =>
      stores.queues.advance(main(of), { from: undefined, to: 1, failed: [failed], parked: [failed] }),
    after: async (of) => [
      await value(stores.queues.offset(main(of))),
      await heads(of, 'failed'),
      (await value(stores.queues.parked(of, { limit: 9 }))).length,
    ],
    stands: [1, 1, 1],
  },
  'a schema is declared': {
    heard: 'unknown',
    call: (of) => stores.epochs.grow(of, 1, schema),
    after: async (of) => (await value(stores.epochs.load(of))).epochs[0]!.schema.number,
    stands: 1,
  },
  'epochs change': {
    heard: 'unknown',
    call: (of) => stores.epochs.change(of, 1, [{ epoch: 2, state: 'serving' }]),
    after: (of) => value(stores.epochs.load(of)),
    stands: expect.objectContaining({ version: 2 }),
  },
  'documents are sent again': {
    before: (of) => accept(of, write()),
    heard: 'done',
    call: (of) => stores.queues.resend(of, 'emergency', 1, [{ pk: 'a', shard }]),
    after: (of) => heads(of, 'emergency'),
    stands: 2,
  },
  'a queue is purged': {
    before: async (of) => {
      await accept(of, write());
      await value(stores.queues.advance(main(of), { from: undefined, to: 1, failed: [], parked: [] }));
    },
    heard: 'done',
    call: (of) => stores.queues.purge(main(of), all, 9),
    after: async (of) => (await value(stores.queues.read(main(of), 0, 9))).length,
    stands: 0,
  },
  'tombstones are forgotten': {
    before: (of) => accept(of, write({ status: 'tombstone' })),
    heard: 'done',
    call: (of) => stores.registry.forgetTombstones(of, shard, all, 9),
    after: (of) => value(stores.registry.find(of, 1, ['a'])),
    stands: [],
  },
  'rows of an epoch are dropped': {
    before: async (of) => {
      await accept(of, write({ expiresAtMs: 5 }));
      await value(stores.epochs.change(of, 1, [{ epoch: 2, state: 'serving' }]));
    },
    heard: 'done',
    call: (of) => stores.registry.dropRows(of, 1, 9),
    after: async (of) => [
      await value(stores.registry.find(of, 1, ['a'])),
      await value(stores.registry.expired(of, shard, all, 9)),
    ],
    stands: [[], []],
  },
  'a refusal is noted': {
    heard: 'done',
    call: (of) => stores.refusals.add(of, [refusal]),
    after: (of) => value(stores.refusals.of(of, 'a')),
    stands: [refusal],
  },
  'refusals are purged': {
    before: (of) => value(stores.refusals.add(of, [refusal])),
    heard: 'done',
    call: (of) => stores.refusals.purge(of, 101, 9),
    after: (of) => value(stores.refusals.of(of, 'a')),
    stands: [],
  },
  'a searcher reports': {
    heard: 'done',
    call: (of) => stores.searchers.report(of, { searcher: 's', indexes: [] }),
    after: async (of) => (await value(stores.searchers.live(of, 60_000))).length,
    stands: 1,
  },
  'a segment is added': {
    heard: 'unknown',
    call: (of) => stores.archive.add(segment(of)),
    after: async (of) => [
      (await stores.archive.add(segment(of))).isErr(),
      (await value(stores.archive.list(of, { fromMs: 0, toMs: 99, limit: 9 }))).length,
    ],
    stands: [true, 1],
  },
  'the bytes of a segment are replaced': {
    before: (of) => value(stores.archive.add(segment(of))),
    heard: 'unknown',
    call: (of) =>
      stores.archive.replace(
        segment(of),
        hash(of, 1),
        { hash: hash(of, 2), checksum: 'c', bytes: 90, records: 9 },
        700,
      ),
    after: async (of) => [
      (await value(stores.archive.find(segment(of))))?.scrubbedAtMs,
      (await value(stores.archive.named([hash(of, 1), hash(of, 2)]))).length,
    ],
    stands: [700, 1],
  },
  'bytes are condemned': {
    heard: 'done',
    call: (of) => stores.archive.condemn(hash(of, 3)),
    after: async (of) => (await value(stores.archive.condemned(1_000))).includes(hash(of, 3)),
    stands: true,
  },
  'erasures are forgotten': {
    before: (of) => accept(of, { ...write({ status: 'tombstone' }), erases: true }),
    heard: 'done',
    call: (of) => stores.archive.forgetErasures(of, all, 9),
    after: (of) => value(stores.archive.erasures(of, { limit: 9 })),
    stands: [],
  },
};

let clients = 0;
describe.each(LOST_ANSWERS)('[G12] the commit has happened, and %s', (_, fault) => {
  test.each(Object.entries(cases))('[V3] [V6] %s: exactly once', async (_name, one) => {
    const { standIn } = db;
    if (!standIn) return; // faults are planned on the stand-in only
    const of = clientName(`client-${++clients}`)!;
    await value(stores.epochs.ensureClient(of, SHARDS));
    await one.before?.(of);
    await losing(standIn, fault, one.heard, () => one.call(of));
    expect(await one.after(of)).toEqual(one.stands);
  });
});

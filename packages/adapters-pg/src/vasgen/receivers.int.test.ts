import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { silentTelemetry } from '@doska/core/kernel';
import {
  countingIds,
  inMemoryBlobStore,
  inMemoryGenericStorage,
  memoryDatabase,
  realClock,
  realRandom,
  seededRandom,
} from '@doska/core/kernel/testing';
import {
  defaultVasgenSettings,
  openVasgen,
  type RawDocument,
  type Vasgen,
  type VasgenStores,
} from '@doska/core/vasgen';
import { jsonVasgenCodecs, sampleClient } from '@doska/core/vasgen/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '../driver/pool.ts';
import { inTransaction } from '../driver/transaction.ts';
import { pgVasgenStores } from './pg-vasgen-stores.ts';

const client = sampleClient();
const SHARDS = 16;
const START_MS = Date.now() - 60_000;
let db: FreshDatabase;
let pool: pg.Pool;
/** Statements of all connections. */
let statements = 0;
beforeAll(async () => {
  db = await freshDatabase({ max: 2 });
  pool = createPool({ url: db.url, max: 20, applicationName: 'doska-tests' });
  pool.on('connect', (connection) => {
    const right = connection.query.bind(connection) as (...args: unknown[]) => unknown;
    connection.query = ((...args: unknown[]) => {
      statements++;
      return right(...args);
    }) as typeof connection.query;
  });
});
afterAll(async () => {
  await pool?.end();
  await db?.drop();
});

const receiver = async (stores: VasgenStores = pgVasgenStores(pool)): Promise<Vasgen> => {
  const vasgen = openVasgen(
    {
      stores,
      codecs: jsonVasgenCodecs,
      log: { promises: { fences: false } } as never,
      blobs: inMemoryBlobStore(),
      storage: inMemoryGenericStorage(memoryDatabase({ nowMs: () => 0 })),
      ids: countingIds('segment'),
      clock: realClock,
      random: realRandom,
      telemetry: silentTelemetry,
    },
    { ...defaultVasgenSettings, clients: [client], shards: SHARDS, epochsKeptMs: 1e9 },
  );
  (await vasgen.prepare())._unsafeUnwrap();
  return vasgen;
};
const document = (pk: string, version: number, event: 'upsert' | 'delete' = 'upsert'): RawDocument => ({
  pk,
  event,
  epoch: 1,
  version,
  composedAtMs: START_MS + version,
  fields: event === 'upsert' ? [{ name: 'title', kind: 'text', multiple: false, value: 'red bicycle' }] : [],
  embeddings: [],
  expiresAtMs: event === 'upsert' ? START_MS + 1e9 + version : undefined,
  payload: undefined,
});

test('[V3] 500 documents in one call take as many statements as 50', async () => {
  const vasgen = await receiver();
  const { receiveDocuments } = vasgen.useCases;
  /** Statements of a call; every document has this verdict. */
  const counted = async (documents: readonly RawDocument[], kind: string): Promise<number> => {
    const before = statements;
    const verdicts = (await receiveDocuments(client, documents, 'main'))._unsafeUnwrap();
    expect(new Set(verdicts.map((verdict) => verdict.kind))).toEqual(new Set([kind]));
    return statements - before;
  };
  const many = (count: number, name: string, version = 1): RawDocument[] =>
    Array.from({ length: count }, (_, n) => document(`${name}-${n}`, version));
  // The first document of an epoch adds its fields.
  await counted([document('first', 1)], 'accepted');
  const few = await counted(many(50, 'few'), 'accepted');
  expect(few).toBeLessThanOrEqual(3);
  expect(await counted(many(500, 'more'), 'accepted')).toBe(few);
  expect(await counted(many(500, 'more'), 'duplicate')).toBe(few);
  expect(await counted(many(500, 'more', 2), 'accepted')).toBe(few);
  expect(await counted(many(500, 'more', 1), 'stale')).toBe(few);
  await vasgen.close();
});

test('[V3] [V6] 16 receivers over all shards, with upkeep and re-sends beside them, never deadlock', async () => {
  const errors: unknown[] = [];
  const right = pgVasgenStores(pool);
  /** The commit takes as long as on a real disk, so locks meet. Errors are counted here: a receiver tries again by itself. */
  const stores: VasgenStores = {
    ...right,
    registry: {
      ...right.registry,
      accept: (...args) =>
        inTransaction(pool, 'accept', async (tx) => {
          const outcome = await pgVasgenStores(tx as unknown as pg.Pool).registry.accept(...args);
          await pause(10);
          return outcome;
        }).orTee((error) => errors.push(error)),
    },
  };
  const PKS = Array.from({ length: 60 }, (_, n) => `shared-${n}`);
  /** The same documents in another order for each receiver. */
  const shuffled = (seed: number): readonly string[] => {
    const random = seededRandom(seed);
    return PKS.map((pk) => [random.below(1e6), pk] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, pk]) => pk);
  };
  const first = await receiver();
  await first.useCases.receiveDocuments(client, [document('schema', 1)], 'main');
  await first.close();
  const receivers = await Promise.all(Array.from({ length: 16 }, () => receiver(stores)));
  let isOver = false;
  const beside = async (): Promise<void> => {
    for (let shard = 0; !isOver; shard = (shard + 1) % SHARDS) {
      const forgotten = await right.registry.forgetTombstones(client, shard, Date.now(), 5);
      if (forgotten.isErr()) errors.push(forgotten.error);
      const pks = shuffled(shard).slice(0, 20);
      const sent = await receivers[0]!.useCases.repairQueues.resend(client, 1, pks);
      if (sent.isErr()) errors.push(sent.error);
    }
  };
  const running = beside();
  const verdicts = await Promise.all(
    receivers.map(async ({ useCases }, n) => {
      const kinds: string[] = [];
      for (let round = 1; round <= 8; round++) {
        // By turns documents that all receivers send, and documents of its own: these meet in the queues only.
        const name = round % 2 === 0 ? `own-${n}-` : '';
        const batch = shuffled(n * 10 + round).map((pk, i) =>
          document(`${name}${pk}`, 16 * round + n, (i + n) % 5 === 0 ? 'delete' : 'upsert'),
        );
        const answer = await useCases.receiveDocuments(client, batch, n % 3 === 0 ? 'bulk' : 'main');
        kinds.push(...answer._unsafeUnwrap().map(({ kind }) => kind));
      }
      return kinds;
    }),
  );
  isOver = true;
  await running;
  expect(errors).toEqual([]);
  expect(new Set(verdicts.flat())).toEqual(new Set(['accepted', 'stale']));
  await Promise.all(receivers.map((one) => one.close()));
}, 120_000);

import { documentShard, type RegistryWrite } from '@doska/core/vasgen';
import { sampleClient, sampleWrite } from '@doska/core/vasgen/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pgVasgenStores } from './pg-vasgen-stores.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase({ max: 1 }); // one connection, so that it keeps its old plans
});
afterAll(() => db.drop());

/** Entries of the primary key's index that were read. */
const entriesRead = async (): Promise<number> => {
  await db.pool.query('select pg_stat_force_next_flush()');
  const { rows } = await db.pool.query<{ n: string }>(
    `select sum(idx_tup_read) as n from pg_stat_user_indexes where schemaname = 'vasgen' and relname = 'registry'`,
  );
  return Number(rows[0]?.n);
};

test('[V3] a commit that was planned on empty tables reads only the rows of its own documents', async () => {
  const { registry, epochs, queues } = pgVasgenStores(db.pool);
  const client = sampleClient();
  const SHARDS = 4;
  (await epochs.ensureClient(client, SHARDS))._unsafeUnwrap();
  const writes = (from: number, count: number, version: number): RegistryWrite[] =>
    Array.from({ length: count }, (_, n) => {
      const pk = `d${from + n}`;
      const row = { pk, place: { version }, expiresAtMs: 10_000 + version };
      return sampleWrite(row, { shard: documentShard(pk, SHARDS) });
    });
  const accept = async (...call: RegistryWrite[]): Promise<void> => {
    const outcomes = (await registry.accept(client, call))._unsafeUnwrap();
    expect(outcomes.every(({ kind }) => kind === 'written')).toBe(true);
  };
  const others = async (): Promise<void> => {
    const pks = writes(0, 50, 1).map(({ row }) => row.pk);
    expect((await registry.find(client, 1, pks))._unsafeUnwrap()).toHaveLength(50);
    const reader = { client, queue: 'main', shard: 0, group: 'indexer' } as const;
    (await queues.read(reader, 0, 50))._unsafeUnwrap();
  };
  // Prepared statements get their lasting plan after five calls.
  await accept(...writes(0, 50, 1));
  for (let call = 0; call < 6; call++) await others();
  for (let from = 50; from < 5_050; from += 500) await accept(...writes(from, 500, 1));
  const before = await entriesRead();
  await accept(...writes(0, 50, 2));
  await others();
  expect((await entriesRead()) - before).toBeLessThan(50 * 20);
});

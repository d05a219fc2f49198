import { pgGenericStorage, pgLeaseStore } from '@doska/adapters-pg';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Store } from '../config/store.ts';
import { settleLeaseStore } from './settle-lease-store.ts';

let database: FreshDatabase;
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database.drop());

const settle = async (store: Store): Promise<string> =>
  (await settleLeaseStore(database.pool, store)).match(
    () => 'ok',
    ({ lines }) => lines.join('\n'),
  );
const beat = async (set: string) =>
  (await pgLeaseStore(database.pool).beat({ set, shards: 1, member: 'm', leaseMs: 1_000 }))._unsafeUnwrap();

test.each([
  ['postgres', 'ydb'],
  ['ydb', 'postgres'],
] as const)(
  '[B9] the first start keeps its leases in %s, and a later start with %s is refused',
  async (first, other) => {
    expect(await settle(first)).toBe('ok');
    expect(await settle(first)).toBe('ok');
    expect(await settle(other)).toContain(
      `DOSKA_STORE: the leases of this installation are in ${first}, and it is ${other}.`,
    );
  },
);
test('[B9] an older installation has its leases in PostgreSQL; leases of the log do not count', async () => {
  await beat('log/group/topic');
  expect(await settle('ydb')).toBe('ok');
  (await pgGenericStorage(database.pool).remove('platform', 'lease-store', 1))._unsafeUnwrap();
  await beat('gost-export');
  expect(await settle('ydb')).toContain('are in postgres, and it is ydb');
  expect(await settle('postgres')).toBe('ok');
});
test('[B9] of concurrent first starts all agree on one store', async () => {
  const wanted: Store[] = ['postgres', 'ydb', 'ydb', 'postgres', 'ydb'];
  const outcomes = await Promise.all(wanted.map(settle));
  const winners = new Set(wanted.filter((_, i) => outcomes[i] === 'ok'));
  expect(winners.size).toBe(1);
  for (const [i, store] of wanted.entries()) expect(outcomes[i] === 'ok').toBe(winners.has(store));
});

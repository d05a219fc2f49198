import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeShardLeases } from '@doska/core/kernel';
import { leaseStoreContract, realClock, realIds, shardLeasesContract } from '@doska/core/kernel/testing';
import type { YdbClient } from '../driver/client.ts';
import { query, rows } from '../driver/query.ts';
import { leaseMembers } from '../schema/lease-tables.ts';
import { backendName, connectTo, openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import { readSet } from './read-leases.ts';
import { ydbLeaseStore } from './ydb-lease-store.ts';

let db: OpenYdb;
let directory: string;
beforeAll(async () => {
  db = await openYdb();
  const opened = await openDirectory(db);
  directory = opened.client.sdk.relativeDirectory;
  await opened.close();
});
afterAll(() => db.close());

/** A separate client, as another process has; after `crash` its calls do not reach the database. */
const client = async () => {
  const own = await connectTo(db.connectionString, { directory });
  let crashed = false;
  const guarded: YdbClient = {
    ...own,
    read: (what, work) => own.read(what, crashed ? () => Promise.reject(new Error('crashed')) : work),
    write: (what, work, options) =>
      own.write(what, crashed ? () => Promise.reject(new Error('crashed')) : work, options),
  };
  return { store: ydbLeaseStore(guarded), close: own.close, crash: async () => void (crashed = true) };
};
leaseStoreContract(backendName, { open: client });
shardLeasesContract(backendName, {
  open: async (times) => {
    const { store, close, crash } = await client();
    return { leases: makeShardLeases({ store, clock: realClock, ids: realIds, times }), close, crash };
  },
});

const MANY_MEMBERS = query({
  name: 'test/many-members',
  parameters: { members: rows(leaseMembers.columns) },
  results: [],
  text: 'UPSERT INTO lease_member SELECT set_name, member, expires_at FROM AS_TABLE($members);',
});
test('[X16] a set of 1,024 shards is held, released and seen whole, although one result has 1,000 rows', async () => {
  const { store, close } = await client();
  const set = 'many-shards';
  const beat = { set, shards: 1_024, member: 'm', leaseMs: 60_000 };
  const view = (await store.beat(beat))._unsafeUnwrap();
  const wanted = view.leases.map(({ shard, token }) => ({ shard, token }));
  expect((await store.take({ set, member: 'm', leaseMs: 60_000, wanted }))._unsafeUnwrap()).toHaveLength(
    1_024,
  );
  for (const { owner, token } of (await store.beat(beat))._unsafeUnwrap().leases)
    expect([owner, token]).toEqual(['m', 1]);
  const listed = (await store.list())._unsafeUnwrap().find((one) => one.set === set)!.view.leases;
  expect(listed.filter(({ owner }) => owner === 'm')).toHaveLength(1_024);
  const held = wanted.map(({ shard }) => ({ shard, token: 1 })).slice(0, 1_020);
  (await store.release({ set, member: 'm', held }))._unsafeUnwrap();
  (await store.leave({ set, member: 'm' }))._unsafeUnwrap();
  const after = (await store.beat({ ...beat, member: 'n' }))._unsafeUnwrap();
  expect(after.leases.filter(({ owner, token }) => owner === undefined && token === 1)).toHaveLength(1_024);
  await close();
});
test('[X16] a set with more members than one result holds is seen whole, and old members are forgotten', async () => {
  const own = await connectTo(db.connectionString, { directory });
  const store = ydbLeaseStore(own);
  const set = 'many-members';
  const nowUs = Date.now() * 1_000;
  const member = (n: number) => ({
    set_name: set,
    member: `m${10_000 + n}`,
    expires_at: n % 2 === 0 ? nowUs + 600_000_000 : nowUs - 7_200_000_000,
  });
  for (let from = 0; from < 2_400; from += 800)
    (
      await own.write('fill', (tx) =>
        tx.commit(MANY_MEMBERS, { members: Array.from({ length: 800 }, (_, n) => member(from + n)) }),
      )
    )._unsafeUnwrap();
  const beat = { set, shards: 1, member: 'me', leaseMs: 1_000 };
  expect((await store.beat(beat))._unsafeUnwrap().members).toHaveLength(1_201);
  for (let i = 0; i < 5; i++) (await store.beat(beat))._unsafeUnwrap();
  const stored = (await own.read('rest', (tx) => readSet(tx, set)))._unsafeUnwrap();
  expect(stored.members).toHaveLength(1_201);
  await own.close();
});

import { afterAll, beforeAll } from 'vitest';
import { makeShardLeases } from '@doska/core/kernel';
import { leaseStoreContract, realClock, realIds, shardLeasesContract } from '@doska/core/kernel/testing';
import type { YdbClient } from '../driver/client.ts';
import { backendName, connectTo, openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
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

import { errAsync } from 'neverthrow';
import { makeShardLeases, unavailable } from '@doska/core/kernel';
import {
  direct,
  inMemoryLeaseStore,
  memoryDatabase,
  realClock,
  realIds,
  shardLeasesContract,
  type Io,
} from '@doska/core/kernel/testing';
import { RIGHT } from './breakage.ts';
import { brokenShardLeases, type LeaseParts } from './broken-shard-leases.ts';

const db = memoryDatabase({ nowMs: realClock.nowMs });
const suiteOn = (name: string, broken: (right: LeaseParts) => LeaseParts): void =>
  shardLeasesContract(name, {
    open: async (times) => {
      let dead = false;
      const io: Io = (op, work) => (dead ? errAsync(unavailable('crashed')) : direct(op, work));
      const leasesOn = (store: LeaseParts['store']) =>
        makeShardLeases({ store, clock: realClock, ids: realIds, times });
      const store = inMemoryLeaseStore(db, io);
      const withStore = broken({ store, leases: leasesOn(store) });
      const { leases } = withStore.store === store ? withStore : { leases: leasesOn(withStore.store) };
      return { leases, close: () => Promise.resolve(), crash: async () => void (dead = true) };
    },
  });

suiteOn(RIGHT, (right) => right);
for (const { name, broken } of brokenShardLeases) suiteOn(name, broken);

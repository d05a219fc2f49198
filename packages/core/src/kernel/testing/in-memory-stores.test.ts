import { errAsync } from 'neverthrow';
import { unavailable } from '../errors.ts';
import { makeShardLeases } from '../leases/shard-leases.ts';
import { genericStorageContract } from './generic-storage.contract.ts';
import { inMemoryGenericStorage } from './in-memory-generic-storage.ts';
import { inMemoryLeaseStore } from './in-memory-lease-store.ts';
import { direct, type Io } from './io.ts';
import { leaseStoreContract } from './lease-store.contract.ts';
import { memoryDatabase } from './memory-database.ts';
import { shardLeasesContract } from './shard-leases.contract.ts';
import { realClock, realIds } from './system.ts';

const close = (): Promise<void> => Promise.resolve();

for (const mode of ['plain', 'constrained'] as const) {
  const db = memoryDatabase({ nowMs: realClock.nowMs, mode });
  genericStorageContract(`memory, ${mode}`, {
    open: async () => ({ storage: inMemoryGenericStorage(db), close }),
    promises: { durable: true },
  });
  leaseStoreContract(`memory, ${mode}`, { open: async () => ({ store: inMemoryLeaseStore(db), close }) });
  shardLeasesContract(`memory, ${mode}`, {
    open: async (times) => {
      let dead = false;
      const io: Io = (op, work) => (dead ? errAsync(unavailable('crashed')) : direct(op, work));
      const leases = makeShardLeases({
        store: inMemoryLeaseStore(db, io),
        clock: realClock,
        ids: realIds,
        times,
      });
      return { leases, close, crash: async () => void (dead = true) };
    },
  });
}

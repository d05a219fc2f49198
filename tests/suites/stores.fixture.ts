import {
  genericStorageContract,
  inMemoryGenericStorage,
  inMemoryLeaseStore,
  leaseStoreContract,
  memoryDatabase,
  realClock,
} from '@doska/core/kernel/testing';
import type { GenericStorage, LeaseStore } from '@doska/core/kernel';
import { RIGHT } from './breakage.ts';
import { brokenLeaseStores } from './broken-leases.ts';
import { brokenStorages } from './broken-storage.ts';

const db = memoryDatabase({ nowMs: realClock.nowMs });
const close = (): Promise<void> => Promise.resolve();

const storageSuite = (name: string, broken: (right: GenericStorage) => GenericStorage): void =>
  genericStorageContract(name, {
    open: async () => ({ storage: broken(inMemoryGenericStorage(db)), close }),
    promises: { durable: true },
  });
const leaseSuite = (name: string, broken: (right: LeaseStore) => LeaseStore): void =>
  leaseStoreContract(name, { open: async () => ({ store: broken(inMemoryLeaseStore(db)), close }) });

storageSuite(RIGHT, (right) => right);
for (const { name, broken } of brokenStorages(db)) storageSuite(name, broken);
leaseSuite(RIGHT, (right) => right);
for (const { name, broken } of brokenLeaseStores(db)) leaseSuite(name, broken);

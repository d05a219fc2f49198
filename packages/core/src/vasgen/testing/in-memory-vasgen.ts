import { direct, type Io, type MemoryDatabase } from '../../kernel/testing.ts';
import type { VasgenStores } from '../vasgen-stores.port.ts';
import { inMemoryArchiveManifest } from './in-memory-archive-manifest.ts';
import { inMemoryEpochStore } from './in-memory-epoch-store.ts';
import { inMemoryQueues } from './in-memory-queues.ts';
import { inMemoryRefusals } from './in-memory-refusals.ts';
import { inMemoryRegistry } from './in-memory-registry.ts';
import { inMemorySearcherRows } from './in-memory-searcher-rows.ts';

export const inMemoryVasgenStores = (db: MemoryDatabase, io: Io = direct): VasgenStores => ({
  epochs: inMemoryEpochStore(db, io),
  registry: inMemoryRegistry(db, io),
  queues: inMemoryQueues(db, io),
  refusals: inMemoryRefusals(db, io),
  searchers: inMemorySearcherRows(db, io),
  archive: inMemoryArchiveManifest(db, io),
});

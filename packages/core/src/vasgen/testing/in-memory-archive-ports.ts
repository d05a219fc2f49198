import {
  countingIds,
  inMemoryBlobStore,
  inMemoryGenericStorage,
  memoryDatabase,
} from '../../kernel/testing.ts';
import type { VasgenPorts } from '../open-vasgen.ts';

/** What the archive needs, in memory. */
export const inMemoryArchivePorts = (): Pick<VasgenPorts, 'blobs' | 'storage' | 'ids'> => ({
  blobs: inMemoryBlobStore(),
  storage: inMemoryGenericStorage(memoryDatabase({ nowMs: () => 0 })),
  ids: countingIds('segment'),
});

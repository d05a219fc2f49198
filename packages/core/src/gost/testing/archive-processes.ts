import { makeSweepSegments, sleep } from '../../kernel/index.ts';
import {
  inMemoryBlobStore,
  inMemoryGenericStorage,
  type BlobServer,
  type Env,
  type MemoryDatabase,
} from '../../kernel/testing.ts';
import type { GostStores } from '../gost-stores.port.ts';
import { ARCHIVE_AREA, UNNAMED_SPACE } from '../archive/segments.store.ts';
import type { TestGost } from './open-test-gost.ts';

const EVERY_MS = 300;
const GRACE_MS = 500;

/** Archives the due offers of one shard until it is killed. Two of them both believe they hold the lease. */
export const archiveForever = async (gost: TestGost, env: Env): Promise<void> => {
  for (;;) {
    await gost.archiveDue(0);
    await sleep(env.clock, EVERY_MS);
  }
};
/** Deletes unused segments until it is killed. */
export const sweepForever = async (
  { archive }: GostStores,
  { db, blobs }: { readonly db: MemoryDatabase; readonly blobs: BlobServer },
  env: Env,
): Promise<void> => {
  const sweep = makeSweepSegments({
    area: ARCHIVE_AREA,
    space: UNNAMED_SPACE,
    archive,
    blobs: inMemoryBlobStore(blobs, env.io),
    clock: env.clock,
    graceMs: GRACE_MS,
    storage: inMemoryGenericStorage(db, env.io),
  });
  for (;;) {
    await sweep(new AbortController().signal);
    await sleep(env.clock, 2 * EVERY_MS);
  }
};

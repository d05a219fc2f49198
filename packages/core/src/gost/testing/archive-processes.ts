import { sleep } from '../../kernel/index.ts';
import {
  inMemoryBlobStore,
  inMemoryGenericStorage,
  type BlobServer,
  type Env,
  type MemoryDatabase,
} from '../../kernel/testing.ts';
import type { GostStores } from '../ports/gost-stores.port.ts';
import { makeSweepSegments } from '../use-cases/sweep-segments.ts';
import type { GostDesk } from './gost-desk.ts';

const EVERY_MS = 300;
const GRACE_MS = 500;

/** Archives what is due of one shard, for ever. Two at a time are two that think they hold its lease. */
export const archiveForever = async (desk: GostDesk, env: Env): Promise<void> => {
  for (;;) {
    await desk.archiveDue(0);
    await sleep(env.clock, EVERY_MS);
  }
};
/** Deletes what is nobody's, for ever. */
export const sweepForever = async (
  { archive }: GostStores,
  { db, blobs }: { readonly db: MemoryDatabase; readonly blobs: BlobServer },
  env: Env,
): Promise<void> => {
  const sweep = makeSweepSegments({
    ...{ archive, blobs: inMemoryBlobStore(blobs, env.io), clock: env.clock, graceMs: GRACE_MS },
    storage: inMemoryGenericStorage(db, env.io),
  });
  for (;;) {
    await sweep(new AbortController().signal);
    await sleep(env.clock, 2 * EVERY_MS);
  }
};

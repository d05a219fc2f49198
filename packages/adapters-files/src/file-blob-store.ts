import { createReadStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BLOB_PAGE_MAX,
  blobHash,
  resolveRange,
  type BlobArea,
  type BlobHash,
  type BlobNotFound,
  type BlobRef,
  type BlobStore,
  type Clock,
  type Unavailable,
} from '@doska/core/kernel';
import { err, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { blobPaths } from './blob-paths.ts';
import { guard, ifThere } from './guard.ts';
import { publish, receive } from './incoming-file.ts';

export type FileBlobStoreOptions = {
  readonly dir: string;
  readonly clock: Clock;
  /** An unfinished put that is older than this was interrupted by a crash. */
  readonly leftoverAgeMs?: number;
};
export interface FileBlobStore extends BlobStore {
  /** Removes leftovers of crashed puts and returns their number. The first put calls it automatically. */
  sweep(): ResultAsync<number, Unavailable>;
}

const DAY_MS = 86_400_000;

/** A stream's range cannot be empty, so an empty part is a special case. */
async function* part(path: string, from: number, to: number): AsyncIterable<Uint8Array> {
  if (from === to) return;
  let left = to - from;
  for await (const chunk of createReadStream(path, { start: from, end: to - 1 }) as AsyncIterable<Buffer>) {
    left -= chunk.length;
    yield chunk;
  }
  if (left !== 0) throw new Error(`a blob ended ${left} bytes early`);
}

export const fileBlobStore = ({
  dir,
  clock,
  leftoverAgeMs = DAY_MS,
}: FileBlobStoreOptions): FileBlobStore => {
  const paths = blobPaths(dir);
  let swept: Promise<unknown> | undefined;

  const refTo = async (area: BlobArea, hash: BlobHash): Promise<BlobRef | undefined> => {
    const file = await ifThere(stat(paths.blob(area, hash)));
    return file && { area, hash, bytes: file.size };
  };
  const find = (area: BlobArea, hash: BlobHash): ResultAsync<BlobRef, BlobNotFound | Unavailable> =>
    guard('blob stat', () => refTo(area, hash)).andThen((ref): Result<BlobRef, BlobNotFound> =>
      ref ? ok(ref) : err({ kind: 'BlobNotFound', area, hash }),
    );

  const sweep = async (): Promise<number> => {
    let removed = 0;
    for (const name of (await ifThere(readdir(paths.incoming))) ?? []) {
      const path = join(paths.incoming, name);
      const file = await ifThere(stat(path));
      if (!file || clock.nowMs() - file.mtimeMs < leftoverAgeMs) continue;
      await rm(path, { force: true });
      removed += 1;
    }
    return removed;
  };

  const page = async (area: BlobArea, after: string, limit: number): Promise<BlobRef[]> => {
    const refs: BlobRef[] = [];
    const shards = ((await ifThere(readdir(paths.area(area)))) ?? [])
      .filter((shard) => shard >= after.slice(0, 2))
      .sort();
    for (const shard of shards) {
      const names = (await ifThere(readdir(join(paths.area(area), shard)))) ?? [];
      for (const name of names.filter((name) => name > after).sort()) {
        if (refs.length >= limit) return refs;
        const hash = blobHash(name);
        const ref = hash.isOk() ? await refTo(area, hash.value) : undefined;
        if (ref) refs.push(ref);
      }
    }
    return refs;
  };

  return {
    put: (area, chunks, { bytesMax }) =>
      guard('blob put', async () => {
        paths.area(area);
        // A failed sweep must not refuse new content. `sweep()` can be called again.
        await (swept ??= sweep().catch(() => undefined));
        return receive(paths.incoming, chunks, bytesMax);
      })
        .andThen((received) => received)
        .andThen(({ path, hash, bytes }) =>
          guard('blob put', () => publish(path, paths.blob(area, hash)))
            .map((): BlobRef => ({ area, hash, bytes }))
            .orTee(() => void rm(path, { force: true }).catch(() => undefined)),
        ),
    read: ({ area, hash }, { range } = {}) =>
      find(area, hash).andThen(({ bytes }) =>
        resolveRange(bytes, range).map(({ from, to }) => part(paths.blob(area, hash), from, to)),
      ),
    stat: ({ area, hash }) => find(area, hash),
    list: (area, { after, limit }) =>
      limit < 1
        ? okAsync([])
        : guard('blob list', () => page(area, after ?? '', Math.min(limit, BLOB_PAGE_MAX))),
    delete: ({ area, hash }) => guard('blob delete', () => rm(paths.blob(area, hash), { force: true })),
    sweep: () => guard('blob sweep', sweep),
  };
};

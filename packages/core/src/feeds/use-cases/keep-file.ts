import { err, errAsync, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import type { FeedKey } from '../../gost/index.ts';
import {
  blobArea,
  unavailable,
  type BlobHash,
  type BlobStore,
  type Clock,
  type Ids,
  type Keeping,
  type Unavailable,
} from '../../kernel/index.ts';
import type { LoadFile } from '../domain/load.ts';
import type { FileOwners } from '../ports/feed-store.port.ts';
import type { Spooled } from '../ports/spool.port.ts';

/** The folder of feed files. */
export const FEED_FILES = blobArea('feeds')._unsafeUnwrap();

/** A file that was not deleted in time must not count as deleted: the next run of the cleanup tries again. */
const tooLate = (): ResultAsync<void, Unavailable> => errAsync(unavailable('feed file: deleted too slowly'));

export type KeepFileNeeds = {
  readonly owners: FileOwners;
  readonly files: Keeping;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: Ids;
};
export interface KeepFile {
  /**
   * Stores a spooled file so that it stays: announces an owner, holds the content, puts it. A load takes the owner over.
   * Fails in passing while the same content is being deleted.
   */
  readonly keep: (key: FeedKey, spooled: Spooled) => ResultAsync<LoadFile, Unavailable>;
  /** The file is not used after all. The content goes unless another owner holds it. */
  readonly release: (hash: BlobHash, owner: string) => ResultAsync<'gone' | 'later', Unavailable>;
  readonly isStored: (hash: BlobHash) => ResultAsync<boolean, Unavailable>;
}

export const makeKeepFile = ({ owners, files, blobs, clock, ids }: KeepFileNeeds): KeepFile => {
  const keep = async (
    { seller, namespace }: FeedKey,
    spooled: Spooled,
  ): Promise<Result<LoadFile, Unavailable>> => {
    const { hash, bytes } = spooled;
    const owner = `${seller}/${namespace}/${ids.next()}`;
    const announced = await owners.announce({ id: owner, hash, atMs: clock.nowMs() });
    if (announced.isErr()) return err(announced.error);
    const held = await files.hold(hash, owner, [hash]);
    if (held.isErr()) return err(held.error);
    const put = await blobs.put(FEED_FILES, spooled.read(), { bytesMax: bytes });
    if (put.isErr())
      return err(put.error.kind === 'Unavailable' ? put.error : unavailable('feed file', put.error));
    return put.value.hash === hash
      ? ok({ hash, bytes, owner })
      : err(unavailable('feed file: its content changed on the local disk', undefined, false));
  };
  const isStored = (part: BlobHash): ResultAsync<boolean, Unavailable> =>
    blobs
      .stat({ area: FEED_FILES, hash: part })
      .map(() => true)
      .orElse((error) => (error.kind === 'BlobNotFound' ? ok(false) : err(error)));
  return {
    keep: (key, spooled) => new ResultAsync(keep(key, spooled)),
    isStored,
    release: (hash, owner) =>
      files
        .letGo(hash, owner)
        .andThen(() =>
          files.forget(hash, {
            isHolding: (holder) => owners.isHolding(holder),
            erase: (parts, mayGoOn) =>
              ResultAsync.combine(
                parts.map((part) => (mayGoOn() ? blobs.delete({ area: FEED_FILES, hash: part }) : tooLate())),
              ).map(() => undefined),
            isStored: (parts) => ResultAsync.combine(parts.map(isStored)).map((each) => each.includes(true)),
            bury: () => okAsync(undefined),
          }),
        )
        .map((forgotten) => (forgotten === 'later' ? ('later' as const) : ('gone' as const))),
  };
};

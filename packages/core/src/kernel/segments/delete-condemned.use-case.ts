import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { Unavailable } from '../errors.ts';
import type { BlobArea, BlobStore } from '../ports/blob-store.port.ts';
import type { NamedSegments } from './named-segments.port.ts';

const DELETED_AT_ONCE = 100;
/** Deletes the bytes of all condemned segments, also those that a crashed process left, and returns how many. */
export const deleteCondemned = (
  archive: Pick<NamedSegments, 'condemned' | 'deleted'>,
  blobs: Pick<BlobStore, 'delete'>,
  area: BlobArea,
): ResultAsync<number, Unavailable> => {
  const run = async (): Promise<Result<number, Unavailable>> => {
    for (let count = 0; ;) {
      const page = await archive.condemned(DELETED_AT_ONCE);
      if (page.isErr()) return err(page.error);
      if (page.value.length === 0) return ok(count);
      for (const hash of page.value) {
        const gone = await blobs.delete({ area, hash });
        if (gone.isErr()) return err(gone.error);
      }
      const noted = await archive.deleted(page.value);
      if (noted.isErr()) return err(noted.error);
      count += page.value.length;
    }
  };
  return new ResultAsync(run());
};

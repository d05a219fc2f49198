import { join } from 'node:path';
import { blobArea, blobHash, type BlobArea, type BlobHash } from '@doska/core/kernel';

/** `<dir>/<area>/<first two digits>/<hash>`. Unfinished files are in `<dir>/.incoming`; no area can have that name. */
export type BlobPaths = {
  readonly incoming: string;
  area(area: BlobArea): string;
  shard(area: BlobArea, hash: BlobHash): string;
  blob(area: BlobArea, hash: BlobHash): string;
};

/**
 * Checks both names again, because types do not exist at run time and a forged name must not leave the directory. A wrong
 * name is a bug of the caller, so it throws.
 */
export const blobPaths = (dir: string): BlobPaths => {
  const checkedArea = (area: BlobArea): string => {
    if (blobArea(area).isErr()) throw new TypeError(`not a blob area: ${JSON.stringify(area)}`);
    return join(dir, area);
  };
  const checkedHash = (hash: BlobHash): BlobHash => {
    if (blobHash(hash).isErr()) throw new TypeError(`not a blob hash: ${JSON.stringify(hash)}`);
    return hash;
  };
  const shard = (area: BlobArea, hash: BlobHash): string =>
    join(checkedArea(area), checkedHash(hash).slice(0, 2));
  return {
    incoming: join(dir, '.incoming'),
    area: checkedArea,
    shard,
    blob: (area, hash) => join(shard(area, hash), hash),
  };
};

import { shardOf, xxh64 } from '../../kernel/index.ts';

/** A document is always in one shard. Numbers are stored with the data, so this never changes. */
export const documentShard = (pk: string, shards: number): number => shardOf(pk, shards);

/** A hash of a pk is a whole number below this. Ranges of hashes divide all documents evenly. */
export const PK_HASHES = 2 ** 32;
export const pkHashOf = (pk: string): number => Number(xxh64(pk) >> 32n);

import { shardOf } from '@doska/core/kernel';

/** Rows ordered by age are spread over this many buckets, so that new rows do not all go to one partition. */
export const BUCKETS = 8;
export const bucketOf = (text: string): number => shardOf(text, BUCKETS);
export const allBuckets: readonly number[] = Array.from({ length: BUCKETS }, (_, bucket) => bucket);

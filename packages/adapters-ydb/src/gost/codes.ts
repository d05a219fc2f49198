import { type Preset, type Total } from '@doska/core/gost';
import { PRESETS, TOTALS } from '@doska/core/gost/storage';
import { shardOf } from '@doska/core/kernel';

/** Rows ordered by age are spread over this many buckets, so that new rows do not all go to one partition. */
export const BUCKETS = 8;
export const bucketOf = (text: string): number => shardOf(text, BUCKETS);
export const allBuckets: readonly number[] = Array.from({ length: BUCKETS }, (_, bucket) => bucket);

const nameOf =
  <Name extends string>(codes: Readonly<Record<Name, number>>) =>
  (code: number): Name | undefined =>
    (Object.keys(codes) as Name[]).find((name) => codes[name] === code);
export const presetOf: (code: number) => Preset | undefined = nameOf<Preset>(PRESETS);
export const totalOf: (code: number) => Total | undefined = nameOf<Total>(TOTALS);

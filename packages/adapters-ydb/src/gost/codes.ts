import { PRESETS, TOTALS, type DraftOwner, type Preset, type Status, type Total } from '@doska/core/gost';
import { shardOf } from '@doska/core/kernel';

/** All of these are stored: they never change. */
export const STATUS_CODES = {
  active: 1,
  hidden: 2,
  expired: 3,
  sold: 4,
  removed: 5,
  banned: 6,
} as const satisfies Record<Status, number>;
export const OWNER_KINDS = { user: 1, anonymous: 2 } as const satisfies Record<DraftOwner['kind'], number>;
/** Rows in the order of their age are spread over so many buckets, so that they don't all grow at one end. */
export const BUCKETS = 8;
export const bucketOf = (text: string): number => shardOf(text, BUCKETS);
export const allBuckets: readonly number[] = Array.from({ length: BUCKETS }, (_, bucket) => bucket);

const nameOf =
  <Name extends string>(codes: Readonly<Record<Name, number>>) =>
  (code: number): Name | undefined =>
    (Object.keys(codes) as Name[]).find((name) => codes[name] === code);
export const presetOf: (code: number) => Preset | undefined = nameOf<Preset>(PRESETS);
export const totalOf: (code: number) => Total | undefined = nameOf<Total>(TOTALS);

import { compareKeys, type Value } from '../values/values.ts';

export type Key = readonly Value[];
/** Keys from `low` to `high`, both included; each is a prefix of a key, and a prefix stands for all that begin with it. */
export type KeyRange = { readonly low: Key; readonly high: Key };

export const WHOLE: KeyRange = { low: [], high: [] };
export const pointOf = (key: Key): KeyRange => ({ low: key, high: key });
export const holds = ({ low, high }: KeyRange, key: Key): boolean =>
  compareKeys(key, low) >= 0 && compareKeys(key, high) <= 0;

import type { PostingList } from '../index/postings.ts';
import type { Gate } from './gate.ts';

/** The first place from `from` on whose posting is not below `least`, by halving. */
const firstFrom = (data: Uint32Array, from: number, to: number, least: number): number => {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (data[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The same where it is likely to be near: leaps, then halves. */
export const seek = (data: Uint32Array, from: number, to: number, least: number): number => {
  let step = 1;
  let low = from;
  let high = from;
  while (high < to && data[high]! < least) {
    low = high + 1;
    high += step;
    step <<= 1;
  }
  return firstFrom(data, low, Math.min(high, to), least);
};

/** What of a list lies behind the gate. */
export const within = ({ data, from, to }: PostingList, { first, last }: Gate): PostingList => {
  const start = firstFrom(data, from, to, first * 65_536);
  return { data, from: start, to: firstFrom(data, start, to, (last + 1) * 65_536) };
};

import type { ClickCountStore, ShownOffer } from '@doska/core/search';
import { okAsync } from 'neverthrow';
import type { Breakage } from './breakage.ts';

/** The same offer of the same answer under another name, so that it counts again. */
const renamed = (() => {
  let calls = 0;
  return (shown: readonly ShownOffer[]) => {
    calls++;
    return shown.map((one) => ({ ...one, queryId: `${one.queryId}-${calls}` }));
  };
})();

export const brokenClickCounts: readonly Breakage<ClickCountStore>[] = [
  {
    name: 'a repeated call that counts again',
    noticedBy: ['an offer of an answer is one impression and at most one click, however often it comes'],
    broken: (right) => ({ ...right, count: (shown) => right.count(renamed(shown)) }),
  },
  {
    name: 'one answer for all',
    noticedBy: ['each answer counts for itself'],
    broken: (right) => ({
      ...right,
      count: (shown) => right.count(shown.map((one) => ({ ...one, queryId: 'q' }))),
    }),
  },
  {
    name: 'clicks without impressions that are dropped',
    noticedBy: ['a click without an impression counts as both'],
    broken: (right) => ({
      ...right,
      count: (shown) => right.count(shown.filter(({ isClicked }) => !isClicked)),
    }),
  },
  {
    name: 'a range with its end',
    noticedBy: [
      'counts belong to the hour in which the offer was shown, and the end of a range is not in it',
    ],
    broken: (right) => ({
      ...right,
      sums: ({ from, to }, after, limit) => right.sums({ from, to: to + 1 }, after, limit),
    }),
  },
  {
    name: 'hours that have no counts',
    noticedBy: [
      'counts belong to the hour in which the offer was shown, and the end of a range is not in it',
    ],
    broken: (right) => ({
      ...right,
      hours: ({ from, to }) => okAsync(Array.from({ length: to - from }, (_, at) => from + at)),
    }),
  },
  {
    name: 'pages that begin anew',
    noticedBy: ['sums come by offer, page by page'],
    broken: (right) => ({ ...right, sums: (hours, _after, limit) => right.sums(hours, undefined, limit) }),
  },
  {
    name: 'a memory that forgets its bound',
    noticedBy: ['what old answers showed is forgotten in bounded steps, and the counts stay'],
    broken: (right) => ({ ...right, forget: (beforeMs, limit) => right.forget(beforeMs + 1, limit) }),
  },
  {
    name: 'a purge that takes the next hour too',
    noticedBy: ['counts of hours before one are deleted in bounded steps'],
    broken: (right) => ({ ...right, purge: (beforeHour, limit) => right.purge(beforeHour + 1, limit) }),
  },
];

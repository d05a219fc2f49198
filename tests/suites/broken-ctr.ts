import type { CtrStores } from '@doska/core/search';
import { okAsync } from 'neverthrow';
import type { Breakage } from './breakage.ts';

export const brokenCtrStores: readonly Breakage<CtrStores>[] = [
  {
    name: 'rates that forget their epoch',
    noticedBy: ['an offer has a rate in each epoch that has one, and none elsewhere'],
    broken: (right) => ({
      ...right,
      rates: {
        ...right.rates,
        put: (_epoch, rates) => right.rates.put(1, rates),
        rates: (_epoch, ids) => right.rates.rates(1, ids),
      },
    }),
  },
  {
    name: 'a count of every row that was ever put',
    noticedBy: ['a slice that is stored again changes nothing, so the count of a load is exact'],
    broken: (right) => {
      const counts = new Map<number, number>();
      return {
        ...right,
        rates: {
          ...right.rates,
          put: (epoch, rates) => {
            counts.set(epoch, (counts.get(epoch) ?? 0) + rates.length);
            return right.rates.put(epoch, rates);
          },
          count: (epoch) => okAsync(counts.get(epoch) ?? 0),
        },
      };
    },
  },
  {
    name: 'a count that stops at the rows of one answer',
    noticedBy: ['a load of more rows than one call takes is counted and found as a whole'],
    broken: (right) => ({
      ...right,
      rates: {
        ...right.rates,
        count: (epoch) => right.rates.count(epoch).map((n) => Math.min(n, 1_000)),
      },
    }),
  },
  {
    name: 'epochs that are compared as texts',
    noticedBy: ['epochs with rates are found in ascending order'],
    broken: (right) => ({
      ...right,
      rates: {
        ...right.rates,
        nextEpoch: (after) =>
          right.rates
            .nextEpoch(after)
            .map((next) => (next !== undefined && String(next) < String(after) ? undefined : next)),
      },
    }),
  },
  {
    name: 'a purge that takes the epochs behind it too',
    noticedBy: ['a purge deletes rates of its epoch alone, in bounded steps'],
    broken: (right) => ({
      ...right,
      rates: {
        ...right.rates,
        purge: (epoch, limit) =>
          right.rates.purge(epoch, limit).andThen((deleted) =>
            right.rates
              .nextEpoch(epoch)
              .andThen((next) => (next === undefined ? okAsync(0) : right.rates.purge(next, limit)))
              .map(() => deleted),
          ),
      },
    }),
  },
  {
    name: 'a purge without a bound',
    noticedBy: ['a purge deletes rates of its epoch alone, in bounded steps'],
    broken: (right) => ({
      ...right,
      rates: { ...right.rates, purge: (epoch) => right.rates.purge(epoch, 1_000) },
    }),
  },
  {
    name: 'a queue of one table',
    noticedBy: [
      'elements are listed table by table, page by page',
      'exactly the named elements leave, and the same offer of another table stays',
    ],
    broken: (right) => ({
      ...right,
      queue: { ...right.queue, add: (_table, ids) => right.queue.add('t', ids) },
    }),
  },
  {
    name: 'a removal of the offer from every table',
    noticedBy: ['exactly the named elements leave, and the same offer of another table stays'],
    broken: (right) => ({
      ...right,
      queue: {
        ...right.queue,
        remove: (elements) =>
          right.queue.next(undefined, 1_000).andThen((all) => {
            const gone = new Set(elements.map(({ offerId }) => offerId));
            return right.queue.remove(all.filter(({ offerId }) => gone.has(offerId)));
          }),
      },
    }),
  },
];

import type { ParkingLot } from '@doska/core/search';
import { okAsync } from 'neverthrow';
import type { Breakage } from './breakage.ts';

export const brokenParkingLots: readonly Breakage<ParkingLot>[] = [
  {
    name: 'a lot that forgets what it knew of an offer',
    noticedBy: ['an offer that is parked again keeps since when, its attempts and the higher version'],
    broken: (right) => ({
      ...right,
      park: (offers) =>
        right
          .find(offers.map(({ offerId }) => offerId))
          .andThen((known) =>
            known.reduce<ReturnType<ParkingLot['park']>>(
              (before, { offerId, revision }) =>
                before.andThen(() => right.settle(offerId, revision, undefined).map(() => undefined)),
              okAsync(undefined),
            ),
          )
          .andThen(() => right.park(offers)),
    }),
  },
  {
    name: 'a removal whatever the revision',
    noticedBy: ['a retry that an event overtook neither removes nor changes the offer'],
    broken: (right) => ({
      ...right,
      settle: (id, revision, change) =>
        right
          .find([id])
          .andThen(([now]) =>
            now ? right.settle(id, now.revision, change) : right.settle(id, revision, change),
          ),
    }),
  },
  {
    name: 'retries before their time',
    noticedBy: ['retries are due in the order of their times, and only when their time has come'],
    broken: (right) => ({ ...right, due: (_nowMs, limit) => right.due(Number.MAX_SAFE_INTEGER - 1, limit) }),
  },
  {
    name: 'retries in the order of their ids',
    noticedBy: ['retries are due in the order of their times, and only when their time has come'],
    broken: (right) => ({
      ...right,
      due: (nowMs, limit) =>
        right.list('', 1_000).map((all) => all.filter(({ retryAtMs }) => retryAtMs <= nowMs).slice(0, limit)),
    }),
  },
  {
    name: 'a list that begins anew on every page',
    noticedBy: ['parked offers are listed by id, page by page'],
    broken: (right) => ({ ...right, list: (_after, limit) => right.list('', limit) }),
  },
  {
    name: 'a lot without reasons',
    noticedBy: ['a parked offer is found with its reason, its version and since when'],
    broken: (right) => ({
      ...right,
      park: (offers) => right.park(offers.map((one) => ({ ...one, reason: '' }))),
    }),
  },
];

import { okAsync } from 'neverthrow';
import type { LeaseStore, ShardLeases } from '@doska/core/kernel';
import type { Breakage } from './breakage.ts';

/** `store` is what the real `makeShardLeases` gets; `leases` is what it made. */
export type LeaseParts = { readonly store: LeaseStore; readonly leases: ShardLeases };

const storeOf =
  (broken: (right: LeaseStore) => LeaseStore): Breakage<LeaseParts>['broken'] =>
  (right) => ({ ...right, store: broken(right.store) });
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

export const brokenShardLeases: readonly Breakage<LeaseParts>[] = [
  {
    name: 'a member that thinks it is alone',
    noticedBy: ['shards are spread evenly over the live members'],
    broken: storeOf((right) => ({
      ...right,
      beat: (beat) => right.beat(beat).map((view) => ({ ...view, members: [beat.member] })),
    })),
  },
  {
    name: 'a stop that gives nothing back',
    noticedBy: ['a graceful stop hands over at once'],
    broken: storeOf((right) => ({
      ...right,
      release: () => okAsync(undefined),
      leave: () => okAsync(undefined),
    })),
  },
  {
    name: 'leases that never expire',
    noticedBy: ['a crashed member is replaced within the lease time'],
    broken: storeOf((right) => ({
      ...right,
      beat: (beat) => right.beat({ ...beat, leaseMs: 3_600_000 }),
      take: (take) => right.take({ ...take, leaseMs: 3_600_000 }),
    })),
  },
  {
    name: 'a hand-over in the middle of the work',
    noticedBy: ['a hand-over waits for running work'],
    broken: ({ store, leases }) => ({
      store,
      leases: {
        hold: (options) =>
          leases.hold({
            ...options,
            work: (lease, signal, lost) => {
              void options.work(lease, signal, lost);
              return untilAborted(signal);
            },
          }),
      },
    }),
  },
  {
    name: 'work that may throw in silence',
    noticedBy: ['work that throws ends the holding with an error'],
    broken: ({ store, leases }) => ({
      store,
      leases: {
        hold: (options) =>
          leases.hold({
            ...options,
            work: (lease, signal, lost) =>
              options.work(lease, signal, lost).catch(() => untilAborted(signal)),
          }),
      },
    }),
  },
  {
    name: 'a mismatch that is not reported',
    noticedBy: ['another number of shards ends the holding with `ShardsMismatch`'],
    broken: ({ store, leases }) => ({
      store,
      leases: {
        hold: (options) => ({ ...leases.hold(options), ended: new Promise<never>(() => {}) }),
      },
    }),
  },
];

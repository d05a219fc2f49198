import type { GroupLag, JobStatus, LeaseStatus, PlatformStatus, StatusSource } from '@doska/adapters-grpc';
import type { Clock, LeaseStore, MessageLog, PeriodicJobs, Unavailable } from '@doska/core/kernel';
import type { ResultAsync } from 'neverthrow';

type Needs = {
  readonly self: () => Pick<PlatformStatus, 'platform' | 'workers'>;
  readonly log: MessageLog;
  readonly leaseStore: LeaseStore;
  readonly jobs: PeriodicJobs;
  readonly clock: Clock;
};

/** A part of the status that can't be had right now must not hide the others. */
const orNothing = async <T>(asked: ResultAsync<readonly T[], Unavailable>): Promise<readonly T[]> =>
  (await asked).unwrapOr([]);

export const makeStatusSource = ({ self, log, leaseStore, jobs, clock }: Needs): StatusSource => {
  const lags = async (): Promise<GroupLag[]> => {
    const groups = await orNothing(log.groups());
    const each = await Promise.all(
      groups.map(async ({ group, topic }) =>
        (await log.lag(group, topic))
          .unwrapOr([])
          .map(({ partition, committed, head, lag, oldestUnreadAtMs }): GroupLag => ({
            ...{ group, topic, partition, head, lag, committed: committed ?? head - lag },
            oldestUnreadAgeMs:
              oldestUnreadAtMs === undefined ? 0 : Math.max(0, clock.nowMs() - oldestUnreadAtMs),
          })),
      ),
    );
    return each.flat();
  };
  const leases = async (): Promise<LeaseStatus[]> =>
    (await orNothing(leaseStore.list())).flatMap(({ set, view }) =>
      view.leases.map(({ shard, token, owner, expiresAtMs }) => ({
        set,
        shard,
        token,
        ...(owner === undefined ? {} : { owner, expiresAtMs }),
      })),
    );
  const periodic = async (): Promise<JobStatus[]> =>
    (await orNothing(jobs.status())).map(
      ({ name, nextRunAtMs, lastFinishedAtMs, lastOutcome, lastWords }) => ({
        ...{ name, nextRunAtMs },
        ...(lastFinishedAtMs === undefined ? {} : { lastRunAtMs: lastFinishedAtMs }),
        ...(lastOutcome === undefined
          ? {}
          : { lastResult: lastOutcome === 'ok' ? ('succeeded' as const) : ('failed' as const) }),
        ...(lastOutcome === 'failed' && lastWords !== undefined ? { lastError: lastWords } : {}),
      }),
    );
  return {
    status: async () => {
      const [l, s, j] = await Promise.all([lags(), leases(), periodic()]);
      return { ...self(), lags: l, leases: s, jobs: j };
    },
  };
};

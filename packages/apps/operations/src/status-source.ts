import type { GroupLag, JobStatus, LeaseStatus, StatusSource } from '@doska/adapters-grpc';
import { listProcesses, type SelfStatus } from '@doska/app-composition';
import {
  sleep,
  unavailable,
  type Clock,
  type GenericStorage,
  type LeaseStore,
  type MessageLog,
  type PeriodicJobs,
  type Unavailable,
} from '@doska/core/kernel';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { seeProcesses, troublesOf, type Reach } from './troubles.ts';

type Needs = {
  readonly self: () => SelfStatus;
  readonly log: MessageLog;
  readonly leaseStore: LeaseStore;
  readonly jobs: PeriodicJobs;
  readonly storage: GenericStorage;
  readonly clock: Clock;
  /** A process without a heartbeat for this long is missing. */
  readonly missingMs: number;
  /** What the log runs on, for sentences: "Kafka at …". */
  readonly logName: string;
};
type Asked<T> = Promise<Result<T, Unavailable>>;

/** Shorter than the deadline of the command line. A frozen server must not hide what the others say. */
const ANSWER_MS = 4_000;

const inTime = async <T>(clock: Clock, asked: PromiseLike<Result<T, Unavailable>>): Asked<T> => {
  const late = new AbortController();
  const timeout = sleep(clock, ANSWER_MS, late.signal).then(() =>
    err(unavailable(`no answer within ${ANSWER_MS / 1_000} s`)),
  );
  const answer = await Promise.race([asked, timeout]);
  late.abort();
  return answer;
};

export const makeStatusSource = (needs: Needs): StatusSource => {
  const { self, log, leaseStore, jobs, storage, clock, missingMs, logName } = needs;
  const lagsOf = ({ group, topic }: { readonly group: string; readonly topic: string }) =>
    log.lag(group, topic).map((partitions) =>
      partitions.map(({ partition, committed, head, lag, oldestUnreadAtMs }): GroupLag => ({
        group,
        topic,
        partition,
        head,
        lag,
        committed: committed ?? head - lag,
        oldestUnreadAgeMs: oldestUnreadAtMs === undefined ? 0 : Math.max(0, clock.nowMs() - oldestUnreadAtMs),
      })),
    );
  const lags = async (): Asked<readonly GroupLag[]> => {
    const groups = await log.groups();
    if (groups.isErr()) return err(groups.error);
    const each = await Promise.all(groups.value.map(lagsOf));
    const failed = each.flatMap((one) =>
      one.isErr() && one.error.kind === 'Unavailable' ? [one.error] : [],
    );
    return failed[0] ? err(failed[0]) : ok(each.flatMap((one) => one.unwrapOr([])));
  };
  const leases = (): ResultAsync<readonly LeaseStatus[], Unavailable> =>
    leaseStore.list().map((sets) =>
      sets.flatMap(({ set, view }) =>
        view.leases.map(({ shard, token, owner, expiresAtMs }) => ({
          set,
          shard,
          token,
          ...(owner === undefined ? {} : { owner, expiresAtMs }),
        })),
      ),
    );
  const periodic = (): ResultAsync<readonly JobStatus[], Unavailable> =>
    jobs.status().map((all) =>
      all.map(({ name, nextRunAtMs, lastFinishedAtMs, lastOutcome, lastWords }) => ({
        name,
        nextRunAtMs,
        ...(lastFinishedAtMs === undefined ? {} : { lastRunAtMs: lastFinishedAtMs }),
        ...(lastOutcome === undefined
          ? {}
          : { lastResult: lastOutcome === 'ok' ? ('succeeded' as const) : ('failed' as const) }),
        ...(lastOutcome === 'failed' && lastWords !== undefined ? { lastError: lastWords } : {}),
      })),
    );
  return {
    /** If one part of the status can't be read, the others are still shown, and `troubles` says what is missing. */
    status: async () => {
      const [lag, lease, job, records] = await Promise.all([
        inTime(clock, lags()),
        inTime(clock, leases()),
        inTime(clock, periodic()),
        inTime(clock, listProcesses(storage)),
      ]);
      const nowMs = clock.nowMs();
      const { platform, workers, process } = self();
      const processes = seeProcesses(process, records.unwrapOr([]), nowMs, missingMs);
      const database = [lease, job, records].flatMap((one) => (one.isErr() ? [one.error] : []))[0];
      const reach: readonly Reach[] = [
        ...(database ? [{ what: 'The database', error: database }] : []),
        ...(lag.isErr() ? [{ what: logName, error: lag.error }] : []),
      ];
      return {
        platform: { ...platform, members: processes.map(({ id }) => id) },
        workers,
        lags: lag.unwrapOr([]),
        leases: lease.unwrapOr([]),
        jobs: job.unwrapOr([]),
        processes,
        troubles: troublesOf(reach, processes, nowMs),
      };
    },
  };
};

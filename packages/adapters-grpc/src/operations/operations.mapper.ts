import { timestampFromMs, timestampToMs } from '@doska/adapters-proto';
import {
  JobResult as PbResult,
  WorkerState as PbState,
  type GetStatusResponse,
  type GroupLag as PbLag,
  type Lease as PbLease,
  type PeriodicJob as PbJob,
  type Process as PbProcess,
  type Worker as PbWorker,
} from '@doska/adapters-proto/generated/doska/operations/v1/operations';
import type { Timestamp } from '@doska/adapters-proto/generated/google/protobuf/timestamp';
import type { Malformed } from '@doska/core/kernel';
import { err, ok, Result } from 'neverthrow';
import type {
  GroupLag,
  JobResult,
  JobStatus,
  LeaseStatus,
  PlatformStatus,
  ProcessStatus,
  WorkerState,
  WorkerStatus,
} from './platform-status.ts';

const stateToPb = {
  running: PbState.WORKER_STATE_RUNNING,
  restarting: PbState.WORKER_STATE_RESTARTING,
  stopped: PbState.WORKER_STATE_STOPPED,
  failed: PbState.WORKER_STATE_FAILED,
} as const satisfies Record<WorkerState, PbState>;
const stateFromPb: Readonly<Record<number, WorkerState>> = Object.fromEntries(
  Object.entries(stateToPb).map(([state, wire]) => [wire, state as WorkerState]),
);
const resultToPb = {
  succeeded: PbResult.JOB_RESULT_SUCCEEDED,
  failed: PbResult.JOB_RESULT_FAILED,
} as const satisfies Record<JobResult, PbResult>;
const resultFromPb: Readonly<Record<number, JobResult>> = Object.fromEntries(
  Object.entries(resultToPb).map(([result, wire]) => [wire, result as JobResult]),
);

const stamp = (ms: number | undefined): Timestamp | undefined =>
  ms === undefined ? undefined : timestampFromMs(ms);
/** A key that is absent on the wire is absent in the domain, not `undefined`. */
const optional = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
const ms = (time: Timestamp | undefined): number | undefined => time && timestampToMs(time);

const lagToPb = (lag: GroupLag): PbLag => ({
  ...lag,
  committed: BigInt(lag.committed),
  head: BigInt(lag.head),
  lag: BigInt(lag.lag),
  oldestUnreadAgeMs: BigInt(Math.round(lag.oldestUnreadAgeMs)),
});
const lagFromPb = (lag: PbLag): GroupLag => ({
  ...lag,
  committed: Number(lag.committed),
  head: Number(lag.head),
  lag: Number(lag.lag),
  oldestUnreadAgeMs: Number(lag.oldestUnreadAgeMs),
});
const leaseToPb = ({ set, shard, owner, token, expiresAtMs }: LeaseStatus): PbLease => ({
  set,
  shard,
  owner,
  token: BigInt(token),
  expiresAt: stamp(expiresAtMs),
});
const leaseFromPb = ({ set, shard, owner, token, expiresAt }: PbLease): LeaseStatus => ({
  set,
  shard,
  token: Number(token),
  ...optional('owner', owner),
  ...optional('expiresAtMs', ms(expiresAt)),
});
const jobToPb = ({ name, lastRunAtMs, lastResult, lastError, nextRunAtMs }: JobStatus): PbJob => ({
  name,
  lastRunAt: stamp(lastRunAtMs),
  lastResult: lastResult ? resultToPb[lastResult] : PbResult.JOB_RESULT_UNSPECIFIED,
  lastError,
  nextRunAt: stamp(nextRunAtMs),
});
const jobFromPb = ({ name, lastRunAt, lastResult, lastError, nextRunAt }: PbJob): JobStatus => ({
  name,
  ...optional('lastRunAtMs', ms(lastRunAt)),
  ...optional('lastResult', resultFromPb[lastResult]),
  ...optional('lastError', lastError),
  ...optional('nextRunAtMs', ms(nextRunAt)),
});
const workerToPb = ({ name, app, state, restarts, lastError, sinceMs }: WorkerStatus): PbWorker => ({
  name,
  app,
  state: stateToPb[state],
  restarts,
  lastError,
  since: stamp(sinceMs),
});
const workerFromPb = ({
  name,
  app,
  state,
  restarts,
  lastError,
  since,
}: PbWorker): Result<WorkerStatus, Malformed> => {
  const known = stateFromPb[state];
  if (known === undefined) return err({ kind: 'Malformed', what: 'Worker', field: 'state' });
  return ok({
    name,
    app,
    state: known,
    restarts,
    ...optional('lastError', lastError),
    sinceMs: ms(since) ?? 0,
  });
};

const processToPb = ({ isMissing, startedAtMs, heartbeatAtMs, ...same }: ProcessStatus): PbProcess => ({
  ...same,
  apps: [...same.apps],
  startedAt: stamp(startedAtMs),
  heartbeatAt: stamp(heartbeatAtMs),
  missing: isMissing,
  workers: same.workers.map(workerToPb),
});
const processFromPb = ({
  missing,
  startedAt,
  heartbeatAt,
  workers,
  ...same
}: PbProcess): Result<ProcessStatus, Malformed> =>
  Result.combine(workers.map(workerFromPb)).map((known) => ({
    ...same,
    startedAtMs: ms(startedAt) ?? 0,
    heartbeatAtMs: ms(heartbeatAt) ?? 0,
    isMissing: missing,
    workers: known,
  }));

export const statusToPb = ({
  platform,
  workers,
  lags,
  leases,
  jobs,
  processes,
  troubles,
}: PlatformStatus): GetStatusResponse => ({
  platform: {
    version: platform.version,
    profile: platform.profile,
    startedAt: stamp(platform.startedAtMs),
    members: [...platform.members],
  },
  workers: workers.map(workerToPb),
  lags: lags.map(lagToPb),
  leases: leases.map(leaseToPb),
  jobs: jobs.map(jobToPb),
  processes: processes.map(processToPb),
  troubles: [...troubles],
});

/** A worker state of a newer server is a value, not a guess. */
export const statusFromPb = ({
  platform,
  workers,
  lags,
  leases,
  jobs,
  processes,
  troubles,
}: GetStatusResponse): Result<PlatformStatus, Malformed> => {
  if (!platform?.startedAt) return err({ kind: 'Malformed', what: 'GetStatusResponse', field: 'platform' });
  const { version, profile, startedAt, members } = platform;
  return Result.combine([
    Result.combine(workers.map(workerFromPb)),
    Result.combine(processes.map(processFromPb)),
  ]).map(([known, all]) => ({
    platform: { version, profile, startedAtMs: timestampToMs(startedAt), members },
    workers: known,
    lags: lags.map(lagFromPb),
    leases: leases.map(leaseFromPb),
    jobs: jobs.map(jobFromPb),
    processes: all,
    troubles,
  }));
};

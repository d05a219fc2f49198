import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { Unavailable } from '../errors.ts';
import { limitRepeats } from '../limit-repeats.ts';
import type { Holding, ShardLeases } from '../leases/lease.ts';
import { sleep, type Clock } from '../ports/clock.port.ts';
import type { GenericStorage, StoredValue } from '../ports/generic-storage.port.ts';
import type { Random } from '../ports/random.port.ts';
import type { Logger } from '../ports/telemetry.port.ts';

export type JobFailed = { readonly kind: 'JobFailed'; readonly reason: string };
/** `token` grows when another member takes over the job. `signal` aborts when the run must end. */
export type JobContext = { readonly token: number; readonly signal: AbortSignal };
export type JobSpec = {
  readonly name: string;
  readonly everyMs: number;
  /** The share of `everyMs` by which a run may be delayed at random, so that many jobs do not run at the same moment. */
  readonly jitter?: number;
  /** Returns a short text about what it did. After a crash the run may repeat. */
  readonly run: (context: JobContext) => Promise<Result<string, JobFailed>>;
};
export type JobStatus = {
  readonly name: string;
  readonly lastStartedAtMs: number | undefined;
  readonly lastFinishedAtMs: number | undefined;
  readonly lastOutcome: 'ok' | 'failed' | undefined;
  readonly lastWords: string | undefined;
  readonly nextRunAtMs: number;
};

/** Runs jobs periodically, each on at most one member at a time. */
export interface PeriodicJobs {
  start(spec: JobSpec): Holding;
  /** The last result and the next run of every job, on any member. */
  status(): ResultAsync<readonly JobStatus[], Unavailable>;
}

type Needs = {
  readonly leases: ShardLeases;
  readonly storage: GenericStorage;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
};

const SPACE = 'periodic-jobs';
/** A longer text is cut, so that the result can always be stored. */
const WORDS_MAX = 2_000;
const toBytes = (status: JobStatus): Uint8Array => new TextEncoder().encode(JSON.stringify(status));
const fromBytes = ({ value }: StoredValue): JobStatus =>
  JSON.parse(new TextDecoder().decode(value)) as JobStatus;

export const makePeriodicJobs = ({ leases, storage, clock, random, ...needs }: Needs): PeriodicJobs => {
  const logger = limitRepeats(needs.logger, clock);
  const saved = async (
    name: string,
  ): Promise<{ readonly status: JobStatus | undefined; readonly version: number } | undefined> => {
    const found = await storage.get(SPACE, [name]);
    if (found.isErr()) {
      logger.warn('the last result of a periodic job could not be read', { job: name, error: found.error });
      return undefined;
    }
    const value = found.value[0];
    return { status: value && fromBytes(value), version: value?.version ?? 0 };
  };
  const pause = (spec: JobSpec): number =>
    spec.everyMs + random.below(Math.floor(spec.everyMs * (spec.jitter ?? 0.1)) + 1);
  const attempt = async (spec: JobSpec, context: JobContext): Promise<Result<string, JobFailed>> => {
    try {
      return await spec.run(context);
    } catch (error) {
      logger.error(`the periodic job ${spec.name} threw`, { job: spec.name, error });
      return err({ kind: 'JobFailed', reason: error instanceof Error ? error.message : 'threw' });
    }
  };
  /** Returns the time of the next run, even if it could not be stored. */
  const runOnce = async (spec: JobSpec, version: number, context: JobContext): Promise<number> => {
    const lastStartedAtMs = clock.nowMs();
    const outcome = await attempt(spec, context);
    if (outcome.isErr())
      logger.warn(`the periodic job ${spec.name} failed`, { job: spec.name, reason: outcome.error.reason });
    const lastFinishedAtMs = clock.nowMs();
    const status: JobStatus = {
      name: spec.name,
      lastStartedAtMs,
      lastFinishedAtMs,
      nextRunAtMs: lastFinishedAtMs + pause(spec),
      lastOutcome: outcome.isOk() ? 'ok' : 'failed',
      lastWords: outcome
        .match(
          (words) => words,
          ({ reason }) => reason,
        )
        .slice(0, WORDS_MAX),
    };
    // A conflict means that another member has run the job. Its result stays.
    const stored = await storage.put(SPACE, spec.name, toBytes(status), version);
    if (stored.isErr())
      logger.warn('the result of a periodic job was not stored', { job: spec.name, error: stored.error });
    return status.nextRunAtMs;
  };
  return {
    start: (spec) =>
      leases.hold({
        set: `job/${spec.name}`,
        shards: 1,
        work: async ({ token }, signal) => {
          let ownNextRunAtMs = 0;
          while (!signal.aborted) {
            const last = await saved(spec.name);
            // Uses the next run even if it was not stored. Otherwise a failing store would make the job run without a pause.
            const nextRunAtMs = Math.max(ownNextRunAtMs, last?.status?.nextRunAtMs ?? 0);
            const dueInMs =
              last === undefined ? Math.min(spec.everyMs, 1_000) : Math.max(0, nextRunAtMs - clock.nowMs());
            // Waits at most one period and its jitter, because a clock that once ran ahead may have stored a far time.
            await sleep(clock, Math.min(dueInMs, spec.everyMs * 2), signal);
            if (!signal.aborted && last !== undefined)
              ownNextRunAtMs = await runOnce(spec, last.version, { token, signal });
          }
        },
      }),
    status: () => storage.list(SPACE, { limit: 1_000 }).andThen((values) => ok(values.map(fromBytes))),
  };
};

import { ResultAsync, type Result } from 'neverthrow';
import type { Unavailable } from '../errors.ts';
import type { Clock } from '../ports/clock.port.ts';
import type { Ids } from '../ports/ids.port.ts';
import type { Random } from '../ports/random.port.ts';

/**
 * One request of an in-memory adapter to its server half. `name` is `server.method`.
 * Requests of one process in one `lane` keep their order; a `resendable` one may be applied twice.
 */
export type Op = {
  readonly name: string;
  readonly args?: unknown;
  readonly lane?: string;
  readonly resendable?: boolean;
};

/** How an in-memory adapter reaches its server half. `work` is synchronous, hence atomic; it may run later, twice or never. */
export type Io = <T, E>(op: Op, work: () => Result<T, E>) => ResultAsync<T, E | Unavailable>;

/** Unit tests and contract suites: applied at once, never fails. */
export const direct: Io = (_op, work) => new ResultAsync(Promise.resolve(work()));

/** All that a process may know of the outside besides its adapters. */
export type Env = {
  readonly io: Io;
  readonly clock: Clock;
  /** A choice worth exploring: it is on the tape. */
  readonly random: Random;
  /** Unique, never explored: a million possible ids are not a million branches. */
  readonly ids: Ids;
};

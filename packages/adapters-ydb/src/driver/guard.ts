import { ResultAsync } from 'neverthrow';
import { unavailable, type Unavailable } from '@doska/core/kernel';
import { mayPass, verdictOf } from './status.ts';

/** The only place in this package where a thrown driver error becomes a value. Catches synchronous throws too. */
export const guard = <T>(what: string, work: () => Promise<T>): ResultAsync<T, Unavailable> =>
  ResultAsync.fromThrowable(work, (cause): Unavailable =>
    unavailable(what, cause, verdictOf(cause) !== 'final' || mayPass(cause)),
  )();

import { unavailable, type Unavailable } from '@doska/core/kernel';
import { ResultAsync } from 'neverthrow';

/** A full or slow disk may recover; a missing right or a wrong name will not. */
const FINAL = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENAMETOOLONG']);
const codeOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';

/** The only place in this package where an exception of the file system becomes a value. */
export const guard = <T>(what: string, work: () => Promise<T>): ResultAsync<T, Unavailable> =>
  ResultAsync.fromThrowable(work, (cause) =>
    unavailable(what, cause, !(cause instanceof TypeError) && !FINAL.has(codeOf(cause))),
  )();

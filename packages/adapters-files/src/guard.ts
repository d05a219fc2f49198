import { unavailable, type Unavailable } from '@doska/core/kernel';
import { ResultAsync } from 'neverthrow';

/** A full or slow disk may recover; a missing right or a wrong name will not. */
const FINAL = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENAMETOOLONG']);
export const codeOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';

/** The only place in this package where an exception of the file system becomes a value. */
export const guard = <T>(what: string, work: () => Promise<T>): ResultAsync<T, Unavailable> =>
  ResultAsync.fromThrowable(work, (cause) =>
    unavailable(what, cause, !(cause instanceof TypeError) && !FINAL.has(codeOf(cause))),
  )();

/** What is not there is `undefined`; everything else stays an exception. */
export const ifThere = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work;
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
};

import { unavailable, type Unavailable } from '@doska/core/kernel';
import { ResultAsync } from 'neverthrow';

/** Errors that a retry does not fix: missing permissions and wrong names. A full or slow disk may recover. */
const FINAL = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENAMETOOLONG']);
export const codeOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';

/** The only place in this package that turns an exception of the file system into a value. */
export const guard = <T>(what: string, work: () => Promise<T>): ResultAsync<T, Unavailable> =>
  ResultAsync.fromThrowable(work, (cause) =>
    unavailable(what, cause, !(cause instanceof TypeError) && !FINAL.has(codeOf(cause))),
  )();

/** Returns undefined if the file does not exist. Other errors are thrown. */
export const ifThere = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work;
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
};

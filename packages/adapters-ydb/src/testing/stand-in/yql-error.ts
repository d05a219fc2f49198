import type { Ydb } from 'ydb-sdk-proto';

export type StatusName = Exclude<
  keyof typeof Ydb.StatusIds.StatusCode,
  'STATUS_CODE_UNSPECIFIED' | 'SUCCESS'
>;

/** What the server answers instead of a result. A transaction in which it happens is gone. */
export class YqlError extends Error {
  constructor(
    readonly status: StatusName,
    message: string,
  ) {
    super(message);
  }
  /** Legal YQL perhaps, but the stand-in does not know it: it never guesses. */
  static unsupported(what: string): YqlError {
    return new YqlError('GENERIC_ERROR', `stand-in: unsupported ${what}`);
  }
  static syntax(what: string): YqlError {
    return new YqlError('GENERIC_ERROR', `syntax error: ${what}`);
  }
  static type(what: string): YqlError {
    return new YqlError('GENERIC_ERROR', `type error: ${what}`);
  }
}

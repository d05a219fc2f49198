/**
 * The version of a stored row. `ms` is a time: of the database for a write by HTTP or gRPC, of the log for a record of a
 * topic. `sequence` orders the versions of one millisecond; for a record it is the offset.
 */
export type Version = { readonly ms: number; readonly sequence: number };
/** `source` names the partition of a record, with the log and the incarnation of the topic. Empty for HTTP and gRPC. */
export type SourcedVersion = Version & { readonly source: string };

export const compareVersions = (a: Version, b: Version): number => a.ms - b.ms || a.sequence - b.sequence;

/**
 * Whether a record of a topic replaces what is stored. Records of one partition compare by offset, because the clock of a
 * log may go back between two of them. Everything else compares by time, and a tie keeps what is stored.
 */
export const supersedes = (record: SourcedVersion, stored: SourcedVersion): boolean =>
  record.source !== '' && record.source === stored.source
    ? record.sequence > stored.sequence
    : record.ms > stored.ms;

/**
 * The version of a write by HTTP or gRPC: not before the database's clock, and above every stored version of its rows. So
 * a later write always has a greater version than one that was acknowledged, whichever clock that one had.
 */
export const nextVersion = (nowMs: number, stored: readonly Version[]): Version => {
  const highest = stored.reduce<Version | undefined>(
    (top, one) => (top && compareVersions(top, one) >= 0 ? top : one),
    undefined,
  );
  return !highest || highest.ms < nowMs
    ? { ms: nowMs, sequence: 0 }
    : { ms: highest.ms, sequence: highest.sequence + 1 };
};

/** A version as callers see it, in `ETag` and `min-version`. */
export const formatVersion = ({ ms, sequence }: Version): string => `${ms}-${sequence}`;
export const parseVersion = (text: string): Version | undefined => {
  const [, ms = '', sequence = ''] = /^(\d{1,16})-(\d{1,16})$/.exec(text) ?? [];
  const version = { ms: Number(ms), sequence: Number(sequence) };
  const isRight = ms !== '' && Number.isSafeInteger(version.ms) && Number.isSafeInteger(version.sequence);
  return isRight ? version : undefined;
};

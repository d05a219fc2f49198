import { nextVersion, supersedes, type SourcedVersion, type Version } from '../version/version.ts';
import type { Content, RowWrite, SnippetWrite, WriteOutcome } from './stored-row.ts';

/** What a store keeps of a row. */
export type KeptRow = {
  readonly version: SourcedVersion;
  readonly content: Content | undefined;
  readonly expiresAtMs: number | undefined;
};
/** What a decision needs of a row: whether it has a content, not which. */
export type KnownRow = Omit<KeptRow, 'content'> & { readonly content: unknown };
/** The rows to store, in the order of the write's rows. Undefined: the row stays as it is. */
export type Judged = { readonly outcome: WriteOutcome; readonly rows: readonly (KeptRow | undefined)[] };

export const isLive = (row: KnownRow | undefined, nowMs: number): boolean =>
  row?.content !== undefined && (row.expiresAtMs === undefined || row.expiresAtMs > nowMs);

/** When something happens to the row by itself: it expires, or its tombstone is old enough to be deleted. */
export const dueAtMs = (
  { content, expiresAtMs, version }: KnownRow,
  tombstoneMs: number,
): number | undefined => (content === undefined ? version.ms + tombstoneMs : expiresAtMs);

const keptOf = ({ content, ttlMs }: RowWrite, version: SourcedVersion, nowMs: number): KeptRow => {
  const expiresAtMs = ttlMs === undefined || !content ? undefined : version.ms + ttlMs;
  const isOver = expiresAtMs !== undefined && expiresAtMs <= nowMs;
  return isOver ? { version, content: undefined, expiresAtMs: undefined } : { version, content, expiresAtMs };
};

const holds = (
  condition: NonNullable<SnippetWrite['condition']>,
  stored: KnownRow | undefined,
  nowMs: number,
): boolean => {
  const live = isLive(stored, nowMs);
  switch (condition.kind) {
    case 'exists':
      return live;
    case 'absent':
      return !live;
    case 'version': {
      const { ms, sequence } = condition.version;
      return live && stored!.version.ms === ms && stored!.version.sequence === sequence;
    }
  }
};

/** Decides what a write does to its rows. Stores that run this code inside their transaction all keep the same rules. */
export const judgeWrite = (
  write: Pick<SnippetWrite, 'rows' | 'record' | 'condition'>,
  stored: readonly (KnownRow | undefined)[],
  { nowMs, tombstoneMs }: { readonly nowMs: number; readonly tombstoneMs: number },
): Judged => {
  const { rows, record, condition } = write;
  const nothing = (outcome: WriteOutcome): Judged => ({ outcome, rows: rows.map(() => undefined) });
  if (condition && !holds(condition, stored[0], nowMs)) {
    const version = isLive(stored[0], nowMs) ? versionOf(stored[0]!) : undefined;
    return nothing({ kind: 'conditionFailed', version });
  }
  if (record && record.ms < nowMs - tombstoneMs && stored.some((row) => row === undefined))
    return nothing({ kind: 'tooOld' });
  const given = nextVersion(
    nowMs,
    stored.flatMap((row) => row?.version ?? []),
  );
  const version: SourcedVersion = record ?? { ms: given.ms, sequence: given.sequence, source: '' };
  const isKept = (row: KnownRow | undefined): boolean =>
    record !== undefined && row !== undefined && !supersedes(record, row.version);
  if (rows.length > 0 && stored.every(isKept)) return nothing({ kind: 'superseded' });
  return {
    outcome: {
      kind: 'written',
      version: { ms: version.ms, sequence: version.sequence },
      atMs: nowMs,
      rows: stored.map((row) => ({ kind: isKept(row) ? 'kept' : 'written', wasLive: isLive(row, nowMs) })),
    },
    rows: rows.map((row, i) => (isKept(stored[i]) ? undefined : keptOf(row, version, nowMs))),
  };
};
const versionOf = ({ version: { ms, sequence } }: Pick<KnownRow, 'version'>): Version => ({ ms, sequence });

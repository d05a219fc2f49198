import { compareVersions, formatVersion, type Version } from '../version/version.ts';
import type { SnippetStore } from '../store/snippet-store.port.ts';
import type { RowKey, SnippetWrite, StoredRow, WriteOutcome } from '../store/stored-row.ts';

/** A version that a store acknowledged, and until when the row is alive with it. 0: deleted. */
type Acknowledged = { readonly version: Version; readonly untilMs: number };
const nameOf = ({ kps, key, language }: RowKey): string => `${kps}/${key}/${language}`;

export type RowLives = {
  /** The store, whose acknowledged writes are remembered. */
  readonly watched: (store: SnippetStore) => SnippetStore;
  /** Takes what is acknowledged before a read, and compares the rows that were read with it. */
  readonly look: (keys: readonly RowKey[]) => (rows: readonly (StoredRow | undefined)[]) => void;
  readonly broke: (law: string) => void;
  readonly law: () => string | undefined;
  /** The record with this offset was stored, or was older than what is stored. */
  readonly hasRecord: (offset: number) => boolean;
};

/** The laws of rows: what is acknowledged is seen until its end, and nothing older comes back. `nowMs` is the database's clock. */
export const rowLives = (nowMs: () => number): RowLives => {
  const newest = new Map<string, Acknowledged>();
  const ends = new Map<string, number>();
  const records = new Set<number>();
  let broken: string | undefined;
  const broke = (law: string): void => void (broken ??= law);
  const endOf = (name: string, version: Version): string => `${name}@${formatVersion(version)}`;
  const remember = (write: SnippetWrite, outcome: WriteOutcome): void => {
    if (write.record && (outcome.kind === 'written' || outcome.kind === 'superseded'))
      records.add(write.record.sequence);
    if (outcome.kind !== 'written') return;
    const { version, rows } = outcome;
    write.rows.forEach(({ at, content, ttlMs }, i) => {
      if (rows[i]?.kind === 'kept') return;
      const untilMs = content ? version.ms + (ttlMs ?? Infinity) : 0;
      const name = nameOf(at);
      ends.set(endOf(name, version), untilMs);
      const known = newest.get(name);
      if (!known || compareVersions(version, known.version) > 0) newest.set(name, { version, untilMs });
    });
  };
  const check = (
    name: string,
    row: StoredRow | undefined,
    floor: Acknowledged | undefined,
    fromMs: number,
  ) => {
    const end = row?.content ? ends.get(endOf(name, row.version)) : undefined;
    if (end !== undefined && end <= fromMs) return broke(`expiry: ${name} is seen after its end`);
    if (!floor) return;
    const at = formatVersion(floor.version);
    if (row && compareVersions(row.version, floor.version) < 0)
      return broke(`older: ${name} has ${formatVersion(row.version)} after ${at} was acknowledged`);
    const isSame = row !== undefined && compareVersions(row.version, floor.version) === 0;
    if ((!row || (isSame && !row.content)) && floor.untilMs > nowMs())
      broke(`lost: ${name} is gone, and ${at} was acknowledged`);
  };
  return {
    watched: (store) => ({
      ...store,
      commit: (writes, options) =>
        store.commit(writes, options).map((outcomes) => {
          writes.forEach((write, i) => remember(write, outcomes[i]!));
          return outcomes;
        }),
    }),
    look: (keys) => {
      const floors = keys.map((at) => newest.get(nameOf(at)));
      const fromMs = nowMs();
      return (rows) => keys.forEach((at, i) => check(nameOf(at), rows[i], floors[i], fromMs));
    },
    broke,
    law: () => broken,
    hasRecord: (offset) => records.has(offset),
  };
};

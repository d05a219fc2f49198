import { ok, type Result } from 'neverthrow';
import type { Io, MemoryDatabase } from '../../kernel/testing.ts';
import type { RegistryRow } from '../registry/registry-row.ts';

/** Planted bugs of a store, for a database of mode `plain`: there each transaction is one operation. */
type BuggyIo = (right: Io, db: MemoryDatabase) => Io;

const rowsOf = <Row>(db: MemoryDatabase, table: string): Map<string, Row> =>
  (db.tables.get(table)?.rows ?? new Map()) as Map<string, Row>;
/** Deletes rows, so that scans see it. */
const deleteWhere = <Row>(
  db: MemoryDatabase,
  table: string,
  isGone: (row: Row, key: string) => boolean,
): void => {
  const found = db.tables.get(table);
  if (!found) return;
  for (const [key, row] of found.rows) if (isGone(row as Row, key)) found.rows.delete(key);
  found.sorted = undefined;
};
/** Does this instead of an operation. */
const instead =
  (name: string, work: (db: MemoryDatabase, args: never) => unknown): BuggyIo =>
  (right, db) =>
  <T, E>(op: Parameters<Io>[0], real: () => Result<T, E>) =>
    op.name === name ? right(op, () => ok(work(db, op.args as never) as T)) : right(op, real);

/** An expiry has the time of its document, so its deletion may be forgotten as soon as it is written. */
export const forgetByPlaceIo = instead(
  'vasgen.forgetTombstones',
  (db, { beforeMs }: { beforeMs: number }) => {
    deleteWhere<RegistryRow>(
      db,
      'vasgen_registry',
      ({ status, place }) => status === 'tombstone' && place.timestampMs < beforeMs,
    );
    return 0;
  },
);

/** The row goes without a delete for the index, and its freshness is forgotten. */
export const deleteByTtlIo = instead('vasgen.expired', (db, { nowMs }: { nowMs: number }) => {
  deleteWhere<RegistryRow>(db, 'vasgen_registry', ({ expiresAtMs = Infinity }) => expiresAtMs <= nowMs);
  return [];
});

export const purgeAllIo = instead('vasgen.purgeQueue', (db) => {
  deleteWhere(db, 'vasgen_element', () => true);
  return 0;
});

/** Row and elements in two transactions: a crash between them leaves a document that is never indexed. */
export const elementsApartIo: BuggyIo = (right, db) => (op, work) => {
  if (op.name !== 'vasgen.accept') return right(op, work);
  let late: readonly (readonly [string, object])[] = [];
  return right(op, () => {
    const before = new Set(rowsOf(db, 'vasgen_element').keys());
    const answer = work();
    late = [...rowsOf<object>(db, 'vasgen_element')].filter(([key]) => !before.has(key));
    deleteWhere(db, 'vasgen_element', (_, key) => !before.has(key));
    return answer;
  }).andThen((answer) =>
    right({ name: 'vasgen.enqueue' }, () => {
      const table = db.tables.get('vasgen_element');
      for (const [key, row] of late) table?.rows.set(key, row);
      if (table) table.sorted = undefined;
      return ok(answer);
    }),
  );
};

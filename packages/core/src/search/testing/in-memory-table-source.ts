import { errAsync, okAsync } from 'neverthrow';
import { unavailable } from '../../kernel/index.ts';
import type { TableKind, TableRow } from '../ctr/table-rows.ts';
import { badLine, type TableSource } from '../ctr/table-source.port.ts';

export type MemoryTable = {
  readonly rows: readonly TableRow['values'][];
  readonly version: string;
  readonly atMs: number;
  /** The table breaks off behind this row. */
  readonly cutAfter?: number;
};
export type MemoryTables = {
  readonly weekly: Map<string, MemoryTable>;
  readonly hourly: Map<string, MemoryTable>;
  isAway?: boolean;
};
export const memoryTables = (): MemoryTables => ({ weekly: new Map(), hourly: new Map() });

export const inMemoryTableSource = (tables: MemoryTables): TableSource => ({
  list: (kind: TableKind) =>
    tables.isAway
      ? errAsync(unavailable('tables'))
      : okAsync(
          [...tables[kind]]
            .map(([name, { version, atMs }]) => ({ name, version, atMs }))
            .toSorted((x, y) => (x.name < y.name ? -1 : 1)),
        ),
  read: (kind, { name, version }, cursor, limit) => {
    if (tables.isAway) return errAsync(unavailable('tables'));
    const table = tables[kind].get(name);
    if (table?.version !== version) return errAsync({ kind: 'TableMoved' as const, name });
    const from = Number(cursor);
    const to = Math.min(from + limit, table.rows.length);
    if (table.cutAfter !== undefined && to > table.cutAfter)
      return errAsync(badLine({ line: table.cutAfter + 1, message: 'the table breaks off in this line' }));
    const rows = table.rows.slice(from, to).map((values, at) => ({ line: from + at + 1, values }));
    return okAsync({ rows, next: to < table.rows.length ? String(to) : undefined });
  },
});

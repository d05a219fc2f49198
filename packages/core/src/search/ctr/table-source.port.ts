import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { BadLine, TableKind, TableRow } from './table-rows.ts';

/** `version` changes when the contents change. `atMs`: when the table was finished, by the clock of the source. */
export type TableInfo = { readonly name: string; readonly version: string; readonly atMs: number };
/** `next`: where the table goes on; undefined at its end. */
export type TablePage = { readonly rows: readonly TableRow[]; readonly next: string | undefined };
/** The table cannot be read. Reading it again does not help. */
export type BadTable = BadLine & { readonly kind: 'BadTable' };
/** The table is gone, or has other contents than when it was listed. */
export type TableMoved = { readonly kind: 'TableMoved'; readonly name: string };

/** Named tables of click rates. */
export interface TableSource {
  /** The tables that are complete, by name. At most 10,000. */
  list(kind: TableKind): ResultAsync<readonly TableInfo[], Unavailable>;
  /** Some rows in the order of the table, at most `limit`. An empty cursor begins. */
  read(
    kind: TableKind,
    table: TableInfo,
    cursor: string,
    limit: number,
  ): ResultAsync<TablePage, BadTable | TableMoved | Unavailable>;
}

/** A table as its errors name it. */
export const badLine = ({ line, message }: BadLine): BadTable => ({ kind: 'BadTable', line, message });

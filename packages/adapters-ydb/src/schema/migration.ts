import { createHash } from 'node:crypto';
import { err, ok, type Result } from 'neverthrow';
import type { StructSpec } from '../driver/column-type.ts';
import { archiveTables } from './archive-tables.ts';
import { gostTables } from './gost-tables.ts';
import { parkedTables } from './parked-tables.ts';
import { leaseTables } from './lease-tables.ts';
import { snippetTables } from './snippet-tables.ts';
import { storageTables } from './storage-tables.ts';
import { searchTables } from './search-tables.ts';
import type { TableSpec } from './table-spec.ts';
import { vasgenArchiveTables } from './vasgen-archive-tables.ts';
import { vasgenTables } from './vasgen-tables.ts';

/** Every step must be safe to repeat: DDL is not transactional, so a crash can happen between any two steps. */
export type MigrationStep =
  | { readonly kind: 'createTable'; readonly table: TableSpec }
  /** Nullable columns only. */
  | { readonly kind: 'addColumns'; readonly table: string; readonly columns: StructSpec };
export type Migration = { readonly id: string; readonly steps: readonly MigrationStep[] };

const creating = (tables: readonly TableSpec[]): readonly MigrationStep[] =>
  tables.map((table) => ({ kind: 'createTable', table }));
/** In order. An applied migration never changes: add a new one. */
export const migrations: readonly Migration[] = [
  { id: '0001_leases', steps: creating(leaseTables) },
  { id: '0002_gost', steps: creating(gostTables) },
  { id: '0003_archive', steps: creating(archiveTables) },
  { id: '0004_parked', steps: creating(parkedTables) },
  { id: '0005_storage', steps: creating(storageTables) },
  { id: '0006_snippets', steps: creating(snippetTables) },
  { id: '0007_vasgen', steps: creating([...vasgenTables, ...vasgenArchiveTables]) },
  { id: '0008_search', steps: creating(searchTables) },
];

export const checksumOf = ({ steps }: Migration): string =>
  createHash('sha256').update(JSON.stringify(steps)).digest('hex');

/** Why the schema can't be brought up to date. */
export type MigrationError =
  /** It was edited after it had been applied to this database. */
  | { readonly kind: 'ChangedMigration'; readonly id: string; readonly message: string }
  /** Applied to this database, but unknown to this version: most likely by a newer version of the program. */
  | { readonly kind: 'UnknownMigration'; readonly id: string; readonly message: string }
  /** A different table of that name exists already. */
  | { readonly kind: 'ForeignTable'; readonly id: string; readonly message: string };
export type Applied = { readonly id: string; readonly checksum: string };

/** The migrations left to apply, in order; or why these migrations and this database do not belong together. */
export const pendingOf = (
  ours: readonly Migration[],
  applied: readonly Applied[],
): Result<readonly Migration[], MigrationError> => {
  for (const { id, checksum } of applied) {
    const known = ours.find((one) => one.id === id);
    if (!known)
      return err({
        kind: 'UnknownMigration',
        id,
        message: `${id} is applied to this database but unknown to this version: run the newer version that applied it`,
      });
    if (checksumOf(known) !== checksum)
      return err({
        kind: 'ChangedMigration',
        id,
        message: `${id} was changed after it had been applied: restore it and write a new migration`,
      });
  }
  const done = new Set(applied.map(({ id }) => id));
  return ok(ours.filter(({ id }) => !done.has(id)));
};

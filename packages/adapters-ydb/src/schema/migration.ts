import { createHash } from 'node:crypto';
import { err, ok, type Result } from 'neverthrow';
import type { StructSpec } from '../driver/column-type.ts';
import { archiveTables } from './archive-tables.ts';
import { gostTables } from './gost-tables.ts';
import { leaseTables } from './lease-tables.ts';
import type { TableSpec } from './table-spec.ts';

/** Each may be done twice: a definition of tables is no part of a transaction, so a crash can come between any two. */
export type MigrationStep =
  | { readonly kind: 'createTable'; readonly table: TableSpec }
  /** Nullable ones only. */
  | { readonly kind: 'addColumns'; readonly table: string; readonly columns: StructSpec };
export type Migration = { readonly id: string; readonly steps: readonly MigrationStep[] };

const creating = (tables: readonly TableSpec[]): readonly MigrationStep[] =>
  tables.map((table) => ({ kind: 'createTable', table }));
/** In their order. An applied one never changes: the next change is a new one. */
export const migrations: readonly Migration[] = [
  { id: '0001_leases', steps: creating(leaseTables) },
  { id: '0002_gost', steps: creating(gostTables) },
  { id: '0003_archive', steps: creating(archiveTables) },
];

export const checksumOf = ({ steps }: Migration): string =>
  createHash('sha256').update(JSON.stringify(steps)).digest('hex');

/** Why the schema can't be brought up to date. */
export type MigrationError =
  /** It was edited after it had been applied here. */
  | { readonly kind: 'ChangedMigration'; readonly id: string; readonly message: string }
  /** Applied here, but not one of ours: most likely a newer version of the program was here before. */
  | { readonly kind: 'UnknownMigration'; readonly id: string; readonly message: string }
  /** A table is there already, and is another one. */
  | { readonly kind: 'ForeignTable'; readonly id: string; readonly message: string };
export type Applied = { readonly id: string; readonly checksum: string };

/** What is left to apply, in order; or why these migrations and this database don't belong together. */
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
        message: `${id} is applied to this database but unknown here: a newer version was here, run that one`,
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

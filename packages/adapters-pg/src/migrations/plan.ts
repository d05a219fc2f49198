import { err, ok, type Result } from 'neverthrow';
import type { MigrationError } from './migration-error.ts';
import type { Migration } from './migration-file.ts';

/** A row of `schema_migration`. */
export type Applied = { readonly id: number; readonly name: string; readonly checksum: string };

/** What is left to apply, in order; or why these files and this database don't belong together. */
export const pendingOf = (
  files: readonly Migration[],
  applied: readonly Applied[],
): Result<readonly Migration[], MigrationError> => {
  const ours = new Map(files.map((file) => [file.id, file]));
  for (const { id, name, checksum } of applied) {
    const file = `${name}.sql`;
    const known = ours.get(id);
    if (known === undefined || known.name !== name) {
      const message = `${file} is applied to this database but unknown here: a newer version was here, run that one`;
      return err({ kind: 'UnknownMigration', file, message });
    }
    if (known.checksum !== checksum) {
      const message = `${file} was changed after it had been applied: restore it and write a new migration`;
      return err({ kind: 'ChangedMigration', file, message });
    }
  }
  const last = Math.max(0, ...applied.map(({ id }) => id));
  const done = new Set(applied.map(({ id }) => id));
  const pending = files.filter(({ id }) => !done.has(id));
  const late = pending.find(({ id }) => id < last);
  if (late !== undefined) {
    const message = `${late.name}.sql has a lower number than migration ${last}, which is applied already: renumber it`;
    return err({ kind: 'LateMigration', file: `${late.name}.sql`, message });
  }
  return ok(pending);
};

import { err, ok, type Result } from 'neverthrow';
import type { FunctionFile } from './function-file.ts';
import type { MigrationError } from './migration-error.ts';
import type { Migration } from './migration-file.ts';

/** A row of `schema_migration`. */
export type AppliedMigration = { readonly id: number; readonly name: string; readonly checksum: string };
/** A row of `schema_function`; `exists` is false if the function was dropped by other means. */
export type AppliedFunction = { readonly name: string; readonly checksum: string; readonly exists: boolean };

/** The migrations left to apply, in order; or why these files and this database do not belong together. */
export const pendingOf = (
  files: readonly Migration[],
  applied: readonly AppliedMigration[],
): Result<readonly Migration[], MigrationError> => {
  const ours = new Map(files.map((file) => [file.id, file]));
  for (const { id, name, checksum } of applied) {
    const file = `${name}.sql`;
    const known = ours.get(id);
    if (known === undefined || known.name !== name) {
      const message = `${file} is applied to this database but unknown to this version: run the newer version that applied it`;
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

/** What must be done to the functions: all of `dropped` and `created` are dropped first, then `created` are made. */
export type FunctionPlan = {
  readonly dropped: readonly string[];
  readonly created: readonly FunctionFile[];
};
export const functionPlan = (
  files: readonly FunctionFile[],
  applied: readonly AppliedFunction[],
): FunctionPlan => {
  const current = new Map(applied.map((one) => [one.name, one]));
  const ours = new Set(files.map(({ name }) => name));
  return {
    dropped: applied.map(({ name }) => name).filter((name) => !ours.has(name)),
    created: files.filter(({ name, checksum }) => {
      const known = current.get(name);
      return known?.checksum !== checksum || !known.exists;
    }),
  };
};
/** For people: one name for each thing that is done. */
export const namesOf = ({ dropped, created }: FunctionPlan): readonly string[] => [
  ...dropped.map((name) => `drop function ${name}`),
  ...created.map(({ name }) => `function ${name}`),
];

import { err, ok, type Result } from 'neverthrow';
import { functionText } from '../driver/function-text.ts';
import type { FunctionSpec } from '../driver/sql-function.ts';
import type { MigrationError } from './migration-error.ts';
import { checksumOf, endsTransaction, readSqlFiles } from './sql-file.ts';

/** `gost.commit.sql` makes the function `gost.commit`. The text is complete: its placeholders are filled in. */
export type FunctionFile = { readonly name: string; readonly sql: string; readonly checksum: string };

const FILE = /^(?:[a-z][a-z0-9_]*\.)?[a-z][a-z0-9_]*\.sql$/;
const CREATES = /^\s*create\s+(?:or\s+replace\s+)?(?:function|procedure)\s+([a-z0-9_.]+)/gim;

export const functionPath = (name: string): string => `functions/${name}.sql`;

/**
 * The functions of a folder by name, each filled in from the spec of its name. Each file must make exactly the
 * function that its name says.
 */
export const readFunctions = async (
  dir: string,
  specs: readonly FunctionSpec[],
): Promise<Result<readonly FunctionFile[], MigrationError>> => {
  const functions: FunctionFile[] = [];
  for (const { file, sql } of await readSqlFiles(dir)) {
    const name = file.slice(0, -'.sql'.length);
    const path = functionPath(name);
    const bad = (why: string) =>
      err({ kind: 'BadMigrationFile', file: path, message: `${path}: ${why}` } as const);
    if (!FILE.test(file)) return bad('must be named function.sql or schema.function.sql');
    const made = [...sql.matchAll(CREATES)].map(([, one]) => one);
    if (made.length !== 1 || made[0] !== name) return bad(`must make one function, ${name}`);
    if (endsTransaction(sql)) return bad('must not begin or end a transaction: it runs inside one');
    const text = functionText(
      sql,
      specs.find((spec) => spec.name === name),
    );
    if (text.isErr()) return bad(text.error);
    functions.push({ name, sql: text.value, checksum: checksumOf(text.value) });
  }
  return ok(functions);
};

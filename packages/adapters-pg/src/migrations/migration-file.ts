import { err, ok, type Result } from 'neverthrow';
import { type MigrationError } from './migration-error.ts';
import { checksumOf, endsTransaction, readSqlFiles } from './sql-file.ts';

/** `0007_offers.sql` has id 7 and name `0007_offers`. */
export type Migration = {
  readonly id: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
};

const FILE = /^(\d{4})_[a-z0-9_]+\.sql$/;

/** The migrations of a folder in their order; each must be well named, unique and without transactions of its own. */
export const readMigrations = async (dir: string): Promise<Result<readonly Migration[], MigrationError>> => {
  const migrations: Migration[] = [];
  for (const { file, sql } of await readSqlFiles(dir)) {
    const digits = FILE.exec(file)?.[1];
    const bad = (why: string) => err({ kind: 'BadMigrationFile', file, message: `${file}: ${why}` } as const);
    if (digits === undefined) return bad('must be named NNNN_lower_case.sql');
    const id = Number(digits);
    if (migrations.at(-1)?.id === id) return bad(`has the same number as ${migrations.at(-1)?.name}.sql`);
    if (endsTransaction(sql)) return bad('must not begin or end a transaction: it runs inside one');
    migrations.push({ id, name: file.slice(0, -'.sql'.length), sql, checksum: checksumOf(sql) });
  }
  return ok(migrations);
};

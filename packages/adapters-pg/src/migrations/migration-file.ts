import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { codeOf } from '../driver/guard.ts';
import { type MigrationError } from './migration-error.ts';

/** `0007_offers.sql` has id 7 and name `0007_offers`. */
export type Migration = {
  readonly id: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
};

const FILE = /^(\d{4})_[a-z0-9_]+\.sql$/;
/** A file that ends the transaction around it would be half done when its second half fails. */
const ENDS_TRANSACTION = /^\s*(begin|commit|rollback|start\s+transaction)(\s+(work|transaction))?\s*;/im;

/** Line ends may change with a checkout; the migration does not. */
const checksumOf = (sql: string): string =>
  createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex');

const namesIn = async (dir: string): Promise<readonly string[]> => {
  try {
    return (await readdir(dir)).filter((name) => name.endsWith('.sql')).sort();
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return []; // a database without tables of its own is fine
    throw cause;
  }
};

/** The migrations of a folder in their order; each must be well named, unique and without transactions of its own. */
export const readMigrations = async (dir: string): Promise<Result<readonly Migration[], MigrationError>> => {
  const migrations: Migration[] = [];
  for (const file of await namesIn(dir)) {
    const digits = FILE.exec(file)?.[1];
    const bad = (why: string) => err({ kind: 'BadMigrationFile', file, message: `${file}: ${why}` } as const);
    if (digits === undefined) return bad('must be named NNNN_lower_case.sql');
    const id = Number(digits);
    if (migrations.at(-1)?.id === id) return bad(`has the same number as ${migrations.at(-1)?.name}.sql`);
    const sql = await readFile(join(dir, file), 'utf8');
    if (ENDS_TRANSACTION.test(sql)) return bad('must not begin or end a transaction: it runs inside one');
    migrations.push({ id, name: file.slice(0, -'.sql'.length), sql, checksum: checksumOf(sql) });
  }
  return ok(migrations);
};

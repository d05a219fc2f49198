import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../driver/guard.ts';

export type SqlFile = { readonly file: string; readonly sql: string };

const namesIn = async (dir: string): Promise<readonly string[]> => {
  try {
    return (await readdir(dir)).filter((name) => name.endsWith('.sql')).sort();
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return []; // a database without tables of its own is fine
    throw cause;
  }
};
/** The SQL files of a folder in the order of their names; none if there is no such folder. */
export const readSqlFiles = async (dir: string): Promise<readonly SqlFile[]> =>
  Promise.all(
    (await namesIn(dir)).map(async (file) => ({ file, sql: await readFile(join(dir, file), 'utf8') })),
  );

/** Line ends may change with a checkout without changing the SQL. */
export const checksumOf = (sql: string): string =>
  createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex');

const ENDS_TRANSACTION = /^\s*(begin|commit|rollback|start\s+transaction)(\s+(work|transaction))?\s*;/im;
/** A file that ends the transaction it runs in would be half applied when its second half fails. */
export const endsTransaction = (sql: string): boolean => ENDS_TRANSACTION.test(sql);

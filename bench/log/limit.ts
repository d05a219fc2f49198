import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import type { Measured } from '../harness.ts';
import { toolPath } from '../tools.ts';
import { CLIENTS, PARTITIONS, RUN_SECONDS, someKey, VALUE_BYTES } from './load.ts';

/** What plain rows need and nothing else: no offsets, no order, one index. */
const TABLE = `create table if not exists plain_record (id bigserial primary key, part integer not null, key text not null, value bytea not null)`;

/** One multi-row INSERT of `batch` records a call; prepared, so that its text is parsed once a connection. */
const scriptOf = (batch: number): string => {
  const value = `'\\x${'5a'.repeat(VALUE_BYTES)}'`;
  const rows = Array.from({ length: batch }, (_, i) => `(${i % PARTITIONS}, '${someKey()}', ${value})`);
  return `insert into plain_record (part, key, value) values ${rows.join(',\n')};\n`;
};

const run = promisify(execFile);
const numberAfter = (text: string, label: string): number => {
  const found = new RegExp(`${label}\\D*([0-9.]+)`).exec(text)?.[1];
  if (found === undefined) throw new Error(`pgbench did not tell its ${label}:\n${text}`);
  return Number(found);
};

/** The same records as plain rows by pgbench: what this server can store when nobody asks for an order. */
export const insertPlainRows = async (pool: pg.Pool, url: string, batch: number): Promise<Measured> => {
  await pool.query(TABLE);
  await pool.query('truncate plain_record');
  await pool.query('checkpoint');
  const folder = mkdtempSync(join(tmpdir(), 'doska-limit-'));
  const script = join(folder, 'insert.sql');
  writeFileSync(script, scriptOf(batch));
  const args = [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(CLIENTS),
    '-j',
    '2',
    '-T',
    String(RUN_SECONDS),
    '-f',
    script,
  ];
  const { stdout } = await run(toolPath('pgbench'), [...args, url]).finally(() =>
    rmSync(folder, { recursive: true }),
  );
  const calls = numberAfter(stdout, 'transactions actually processed');
  const { rows } = await pool.query<{ n: string }>('select count(*) as n from plain_record');
  if (Number(rows[0]?.n) !== calls * batch)
    throw new Error(`pgbench says ${calls * batch} rows, the table has ${rows[0]?.n}`);
  return { value: numberAfter(stdout, 'tps =') * batch };
};

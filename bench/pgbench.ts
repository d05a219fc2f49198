import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toolPath } from './tools.ts';

const run = promisify(execFile);
const numberAfter = (text: string, label: string): number => {
  const found = new RegExp(`${label}\\D*([0-9.]+)`).exec(text)?.[1];
  if (found === undefined) throw new Error(`pgbench did not tell its ${label}:\n${text}`);
  return Number(found);
};

export type Pgbenched = { readonly transactions: number; readonly perSecond: number };
export type PgbenchLoad = { readonly clients: number; readonly seconds: number };

/** A script by pgbench, prepared, so that every statement is parsed once a connection. A failed transaction stops the run. */
export const pgbench = async (
  url: string,
  script: string,
  { clients, seconds }: PgbenchLoad,
): Promise<Pgbenched> => {
  const folder = mkdtempSync(join(tmpdir(), 'doska-limit-'));
  const file = join(folder, 'script.sql');
  writeFileSync(file, script);
  const shape = ['-c', String(clients), '-j', '2', '-T', String(seconds)];
  const { stdout } = await run(toolPath('pgbench'), [
    '-n',
    '-M',
    'prepared',
    ...shape,
    '-f',
    file,
    url,
  ]).finally(() => rmSync(folder, { recursive: true }));
  const failed = /number of failed transactions: ([0-9]+)/.exec(stdout)?.[1] ?? '0';
  if (failed !== '0') throw new Error(`${failed} transactions of pgbench failed:\n${stdout}`);
  return {
    transactions: numberAfter(stdout, 'transactions actually processed'),
    perSecond: numberAfter(stdout, 'tps ='),
  };
};

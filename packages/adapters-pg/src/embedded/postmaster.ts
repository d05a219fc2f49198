import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { NAME } from './cluster.ts';
import type { Home } from './folders.ts';
import { codeOf } from './problem.ts';
import { identify, type ProcessIdentity } from './process-identity.ts';

/** What PostgreSQL writes about a running server to postmaster.pid. */
export type Postmaster = {
  readonly process: ProcessIdentity;
  readonly port: number;
  readonly status: string;
};

/** Pids restart with every boot and container, so an old file often names an unrelated process. */
const runsOn = (pid: number, cluster: string): boolean =>
  process.platform !== 'linux' || readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`\0${cluster}\0`);

/** The live server of this cluster, if any. A file that a crash left behind names no live process, or an unrelated one. */
export const livePostmaster = (home: Home): Postmaster | undefined => {
  try {
    const lines = readFileSync(join(home.cluster, 'postmaster.pid'), 'utf8').split('\n');
    const found = identify(Number(lines[0]));
    if (found === undefined || !runsOn(found.pid, home.cluster)) return undefined;
    return { process: found, port: Number(lines[3] ?? 0), status: (lines[7] ?? '').trim() };
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(cause))) return undefined;
    throw cause;
  }
};

export const urlOf = (home: Home, port: number, database: string = NAME): string =>
  `postgresql://${NAME}:${readFileSync(home.password, 'utf8').trim()}@127.0.0.1:${port}/${database}`;

/**
 * True if the server at `port` is the one of this cluster and takes queries. The port alone proves nothing: after a
 * crash another program may listen there.
 */
export const answers = async (home: Home, port: number): Promise<boolean> => {
  const client = new pg.Client({
    connectionString: urlOf(home, port, 'postgres'),
    connectionTimeoutMillis: 3_000,
  });
  client.on('error', () => {}); // a connection that breaks between two queries fails the next query
  try {
    await client.connect();
    const { rows } = await client.query<{ dir: string; there: boolean }>(
      `select current_setting('data_directory') as dir, exists (select from pg_database where datname = $1) as there`,
      [NAME],
    );
    if (rows[0]?.dir !== home.cluster) return false;
    if (!rows[0].there) await client.query(`create database ${NAME}`);
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
};

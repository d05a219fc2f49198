import type pg from 'pg';
import { createPool, migrate } from '@doska/adapters-pg';

export type BenchDatabase = { readonly url: string; readonly pool: pg.Pool };

/** A migrated database of its own on the server. */
export const databaseOn = async (serverUrl: string, name: string): Promise<BenchDatabase> => {
  const admin = createPool({ url: serverUrl, max: 1, applicationName: 'doska-bench' });
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const pool = createPool({ url: url.href, max: 10, applicationName: 'doska-bench' });
  (await migrate(pool))._unsafeUnwrap();
  return { url: url.href, pool };
};

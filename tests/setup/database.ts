import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { inject } from 'vitest';
import { createPool } from '@doska/adapters-pg';
import { withDatabase } from './database-url.ts';

export type FreshDatabase = {
  readonly url: string;
  readonly pool: pg.Pool;
  /** Closes the pool and removes the database, also while clients are connected to it. */
  drop(): Promise<void>;
};

/** Copying a template needs it alone for a moment; other test files copy it too. */
const OBJECT_IN_USE = '55006';
const TRIES = 200;

const copyTemplate = async (admin: pg.Pool, database: string, template: string): Promise<void> => {
  for (let tries = 1; ; tries++) {
    try {
      await admin.query(`create database ${database} template ${template}`);
      return;
    } catch (cause) {
      if ((cause as { code?: string }).code !== OBJECT_IN_USE || tries === TRIES) throw cause;
      await pause(20 + Math.random() * 30);
    }
  }
};

/** A database of this test file's own, with every migration applied. Call it once in `beforeAll`. */
export const freshDatabase = async (options: { readonly max?: number } = {}): Promise<FreshDatabase> => {
  const server = inject('postgresUrl');
  const database = `doska_test_${randomBytes(6).toString('hex')}`;
  const admin = createPool({ url: server, max: 1, applicationName: 'doska-tests' });
  await copyTemplate(admin, database, inject('postgresTemplate')).finally(() => admin.end());
  const url = withDatabase(server, database);
  const pool = createPool({ url, max: options.max ?? 10, applicationName: 'doska-tests' });
  const drop = async (): Promise<void> => {
    await pool.end();
    const last = createPool({ url: server, max: 1, applicationName: 'doska-tests' });
    await last.query(`drop database if exists ${database} with (force)`).finally(() => last.end());
  };
  return { url, pool, drop };
};

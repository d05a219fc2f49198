import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { createPool, migrate } from '@doska/adapters-pg';
import { startEmbeddedPostgres } from '@doska/adapters-pg/embedded';
import { withDatabase } from './database-url.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server of this run, as its superuser; `freshDatabase` is what tests use. */
    postgresUrl: string;
    /** The database with every migration applied, which `freshDatabase` copies. */
    postgresTemplate: string;
  }
}

type Server = { readonly url: string; stop(): Promise<void> };

/** Tests never wait for a disk: what they write is thrown away. */
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' };

const PREFIX = 'doska-test-';

/** The folders of runs that were killed: their servers are gone by their guardians, their names tell the dead pid. */
const sweep = (): void => {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(PREFIX))) {
    const pid = Number(name.slice(PREFIX.length).split('-')[0]);
    const dir = join(tmpdir(), name);
    try {
      if (statSync(dir).uid === process.getuid?.()) process.kill(pid, 0);
    } catch (cause) {
      if ((cause as { code?: string }).code === 'ESRCH') rmSync(dir, { recursive: true, force: true });
    }
  }
};

const ownServer = async (): Promise<Server> => {
  sweep();
  const dataDir = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  chmodSync(dataDir, 0o755); // as root the server runs as another user
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  const started = await startEmbeddedPostgres({ dataDir, settings });
  if (started.isErr()) {
    remove();
    throw new Error(started.error.message.replace('DATABASE_URL', 'DOSKA_TEST_DATABASE_URL'));
  }
  const stop = () => started.value.stop().then(remove);
  return { url: started.value.url, stop };
};

const givenServer = (): Server | undefined => {
  const url = process.env['DOSKA_TEST_DATABASE_URL'];
  return url === undefined || url === '' ? undefined : { url, stop: () => Promise.resolve() };
};

/** A run of its own on a shared server: no two runs may meet in one template. */
const makeTemplate = async (url: string, template: string): Promise<void> => {
  const admin = createPool({ url, max: 1, applicationName: 'doska-tests' });
  await admin.query(`create database ${template}`);
  await admin.end();
  const pool = createPool({ url: withDatabase(url, template), max: 1, applicationName: 'doska-tests' });
  const migrated = await migrate(pool);
  await pool.end();
  if (migrated.isErr()) throw new Error(`migrations of the test template: ${JSON.stringify(migrated.error)}`);
};

const dropTemplate = async (url: string, template: string): Promise<void> => {
  const admin = createPool({ url, max: 1, applicationName: 'doska-tests' });
  await admin.query(`drop database if exists ${template} with (force)`);
  await admin.end();
};

/** One PostgreSQL for the whole run. When the run is killed, the server's guardian stops it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = givenServer();
  const server = given ?? (await ownServer());
  const template = `doska_template_${process.pid}_${Date.now()}`;
  try {
    await makeTemplate(server.url, template);
  } catch (cause) {
    await server.stop();
    throw cause;
  }
  project.provide('postgresUrl', server.url);
  project.provide('postgresTemplate', template);
  return async () => {
    if (given !== undefined) await dropTemplate(server.url, template);
    await server.stop();
  };
}

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { createPool, migrate } from '@doska/adapters-pg';
import { startEmbeddedPostgres } from '@doska/adapters-pg/embedded';

/** A PostgreSQL of one test, which the test may stop and start. What was committed survives, as in production. */
export type OwnPostgres = {
  readonly url: string;
  readonly pool: pg.Pool;
  /** Ends all connections and the server. */
  readonly stop: () => Promise<void>;
  /** Starts it again at the same address. */
  readonly start: () => Promise<void>;
  /** Stops it and deletes its data. */
  readonly drop: () => Promise<void>;
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });

export const startOwnPostgres = async (): Promise<OwnPostgres> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'doska-own-postgres-'));
  chmodSync(dataDir, 0o755); // as root the server runs as another user
  const port = await freePort();
  const launch = async () =>
    (
      await startEmbeddedPostgres({
        dataDir,
        choosePort: () => Promise.resolve(port),
        settings: { max_connections: '200' },
      })
    )._unsafeUnwrap();
  let server = await launch();
  const { url } = server;
  const pool = createPool({ url, max: 6, applicationName: 'doska-tests' });
  (await migrate(pool))._unsafeUnwrap();
  const stop = (): Promise<void> => server.stop();
  return {
    url,
    pool,
    stop,
    start: async () => {
      server = await launch();
    },
    drop: async () => {
      await pool.end();
      await stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

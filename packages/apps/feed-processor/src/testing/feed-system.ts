import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig, startHost, type App, type RunningHost } from '@doska/app-composition';
import { contexts } from '@doska/app-wiring';
import { FeedsTokens } from '@doska/app-wiring/feeds';
import { GostTokens } from '@doska/app-wiring/gost';
import type { FeedsUseCases, FeedTaskId, LoadView } from '@doska/core/feeds';
import { offerStatus, type FeedKey } from '@doska/core/gost';
import { eventually } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { expect, onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('../../../platform/dist/main.js', import.meta.url));

export type TestDatabase = Pick<FreshDatabase, 'url' | 'pool' | 'drop'>;
export type FeedSystem = {
  readonly database: TestDatabase;
  readonly host: RunningHost;
  readonly dataDir: string;
  readonly useCases: FeedsUseCases;
  /** The built app as a process of its own. It is killed at the end of the test at the latest. */
  readonly start: (app: string, more?: Readonly<Record<string, string>>) => ChildProcess;
  readonly viewOf: (key: FeedKey, task: FeedTaskId) => Promise<LoadView>;
  /** Waits until the load is there. */
  readonly reached: (key: FeedKey, task: FeedTaskId, place: string) => Promise<LoadView>;
  readonly active: (key: FeedKey) => Promise<number>;
  readonly stop: () => Promise<void>;
};

/** Some apps run here, others as processes of their own, on one database and one data folder. */
export const feedSystem = async (
  apps: readonly App[],
  more: Readonly<Record<string, string>>,
  withinMs: number,
  given?: TestDatabase,
): Promise<FeedSystem> => {
  const database = given ?? (await freshDatabase({ max: 6 }));
  const dataDir = mkdtempSync(join(tmpdir(), 'doska-feed-system-'));
  const settings = {
    DOSKA_PROFILE: 'embedded',
    DATABASE_URL: database.url,
    DOSKA_DATA_DIR: dataDir,
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_LOG_LEVEL: 'error',
    DOSKA_PARTITIONS: '2',
    DOSKA_LEASE_MS: '1500',
    DOSKA_HEARTBEAT_MS: '200',
    DOSKA_FEEDS_POLL_MS: '50',
    ...more,
  };
  const { config } = loadConfig(settings, contexts)._unsafeUnwrap();
  const host = (await startHost('feeds-system', [...apps], config))._unsafeUnwrap();
  const { useCases } = host.container.get(FeedsTokens.feeds);
  const viewOf: FeedSystem['viewOf'] = async (key, task) =>
    (await useCases.getLoad({ ...key, task }))._unsafeUnwrap();
  return {
    database,
    host,
    dataDir,
    useCases,
    viewOf,
    start: (app, own = {}) => {
      const clean = Object.entries(process.env).filter(([name]) => !/^(DOSKA_|DATABASE_URL$)/.test(name));
      const env = { ...Object.fromEntries(clean), ...settings, ...own };
      const child = spawn(process.execPath, [MAIN, app], { env, stdio: ['ignore', 'ignore', 'inherit'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    },
    reached: (key, task, place) =>
      eventually(
        async () => {
          const view = await viewOf(key, task);
          expect(view.load.task.place).toBe(place);
          return view;
        },
        { withinMs },
      ),
    active: async ({ seller }) => {
      const { scan } = host.container.get(GostTokens.stores);
      let count = 0;
      for (let page: Parameters<typeof scan.ofSeller>[1] = { limit: 1_000 }; ;) {
        const found = (await scan.ofSeller(seller, page))._unsafeUnwrap();
        count += found.filter((offer) => offerStatus(offer) === 'active').length;
        const last = found.at(-1);
        if (!last || found.length < 1_000) return count;
        page = { limit: 1_000, after: last.id };
      }
    },
    stop: async () => {
      await host.stop();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

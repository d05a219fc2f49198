import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { grpcChannel, publishingClient } from '@doska/adapters-grpc';
import { loadConfig, startHost, systemClock, type Environment } from '@doska/app-composition';
import { apps } from '@doska/app-platform';
import { contexts } from '@doska/app-wiring';
import { CatalogTokens } from '@doska/app-wiring/catalog';
import { SearchTokens } from '@doska/app-wiring/search';
import { VasgenTokens } from '@doska/app-wiring/vasgen';
import type { SearchScheduler, SearchApi, OfferSource } from '@doska/core/search';
import type { Searcher, Vasgen } from '@doska/core/vasgen';
import { benchPostgres } from '../postgres.ts';

export type BenchPlatform = {
  readonly scheduler: SearchScheduler;
  readonly api: SearchApi;
  readonly offers: OfferSource;
  readonly vasgen: Vasgen;
  readonly searcher: Searcher;
  /** Publishes an offer, and returns when the offer store has acknowledged it. */
  publish(seller: string, title: string): Promise<void>;
  stop(): Promise<void>;
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
/** Waits until it is true, and looks every few milliseconds. */
export const until = async (
  what: string,
  isTrue: () => Promise<boolean>,
  withinMs = 120_000,
): Promise<void> => {
  const began = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - began > withinMs) throw new Error(`${what}: not within ${withinMs} ms`);
    await pause(5);
  }
};

/** All apps in this process, as `npm start` runs them, on a database whose commits are on the disk. */
export const benchPlatform = async (settings: Environment = {}): Promise<BenchPlatform> => {
  const postgres = await benchPostgres();
  const dataDir = mkdtempSync(join(tmpdir(), 'doska-bench-platform-'));
  const env = {
    DOSKA_PROFILE: 'embedded',
    DATABASE_URL: postgres.url,
    DOSKA_DATA_DIR: dataDir,
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_LOG_LEVEL: 'error',
    DOSKA_SEARCH_AUDIT_DAYS: '0',
    ...settings,
  };
  const { config } = loadConfig(env, contexts)._unsafeUnwrap();
  const host = (await startHost('bench', apps, config))._unsafeUnwrap();
  const { container, run } = host;
  await until('the catalogue', async () => container.get(CatalogTokens.cache).copy().isOk());
  const channel = grpcChannel({
    target: run.grpcAddress,
    clock: systemClock,
    ...(run.token === undefined ? {} : { token: run.token }),
  });
  const publishing = publishingClient(channel);
  return {
    scheduler: container.get(SearchTokens.scheduler),
    api: container.get(SearchTokens.api),
    offers: container.get(SearchTokens.offers),
    vasgen: container.get(VasgenTokens.vasgen),
    searcher: container.get(VasgenTokens.searcher),
    publish: async (seller, title) => {
      const published = await publishing.publish(seller, {
        categoryId: 'rodents',
        title,
        description: 'Used with care, everything works. Selling because we are moving.',
        price: { minorUnits: 150_000, currency: 'RUB' },
        address: 'Москва',
        phone: '+7 900 000-00-00',
        photos: [],
        attributes: [],
      });
      if (published.isErr()) throw new Error(JSON.stringify(published.error));
    },
    stop: async () => {
      channel.close();
      await host.stop();
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

/** Publishes `count` offers with several callers at once. */
export const publishMany = async (platform: BenchPlatform, count: number): Promise<void> => {
  let next = 0;
  const work = async (caller: number): Promise<void> => {
    while (next < count) {
      next++;
      await platform.publish(`seller-${caller}`, `stock offer ${next}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, caller) => work(caller)));
};

import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogApi } from '@doska/app-catalog-api';
import { loadConfig, startHost } from '@doska/app-composition';
import { feedProcessor } from '@doska/app-feed-processor';
import { feedsApi } from '@doska/app-feeds-api';
import { gostScheduler } from '@doska/app-gost-scheduler';
import { contexts } from '@doska/app-wiring';
import { FeedsTokens } from '@doska/app-wiring/feeds';
import type { SellerId } from '@doska/core/gost';
import { sleep } from '@doska/core/kernel';
import { clock } from '../gost/samples.ts';
import type { Measured } from '../harness.ts';
import type { FeedFile } from './feed-file.ts';

const POLL_MS = 20;

/** The real apps in this process, on a database of their own. */
export const appsOn = async (url: string) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'doska-bench-apps-'));
  const settings = {
    DOSKA_PROFILE: 'embedded',
    DATABASE_URL: url,
    DOSKA_DATA_DIR: dataDir,
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_LOG_LEVEL: 'error',
    DOSKA_PARTITIONS: '2',
    DOSKA_FEEDS_POLL_MS: '20',
  };
  const { config } = loadConfig(settings, contexts)._unsafeUnwrap();
  const apps = [catalogApi, gostScheduler, feedsApi, feedProcessor];
  const host = (await startHost('feeds-bench', apps, config))._unsafeUnwrap();
  const { useCases } = host.container.get(FeedsTokens.feeds);
  let sellers = 0;
  return {
    /** From the upload to the saved answer of the last batch. Offers a second. */
    run: async (file: FeedFile): Promise<Measured> => {
      const key = { seller: `end-to-end-${++sellers}` as SellerId, namespace: 'main' };
      const startedMs = performance.now();
      const load = (await useCases.upload(key, createReadStream(file.path)))._unsafeUnwrap();
      for (;;) {
        const view = (await useCases.getLoad({ ...key, task: load.task.id }))._unsafeUnwrap();
        const { place } = view.load.task;
        if (place === 'failed' || place === 'held') throw new Error(`the load is ${place}`);
        if (place !== 'succeed') {
          await sleep(clock, POLL_MS);
          continue;
        }
        if (view.statistics.verdicts.inserted !== file.offers)
          throw new Error('not every offer was inserted');
        return { value: file.offers / ((performance.now() - startedMs) / 1_000) };
      }
    },
    close: async (): Promise<void> => {
      await host.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

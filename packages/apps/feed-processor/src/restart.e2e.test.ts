import { catalogApi } from '@doska/app-catalog-api';
import { feedsApi } from '@doska/app-feeds-api';
import { gostScheduler } from '@doska/app-gost-scheduler';
import { FEED_VERDICTS, type SellerId } from '@doska/core/gost';
import { madeFeed } from '@doska/core/feeds/testing';
import { eventually } from '@doska/core/kernel/testing';
import { startOwnPostgres, type OwnPostgres } from '@doska/test-setup/own-postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { feedSystem, type FeedSystem } from './testing/feed-system.ts';

const OFFERS = process.env['DOSKA_TEST_LONG'] ? 20_000 : 2_000;
const RESTARTS = process.env['DOSKA_TEST_LONG'] ? 6 : 2;
const WITHIN = { withinMs: 240_000 };
const key = { seller: 'restarted' as SellerId, namespace: 'main' };

let postgres: OwnPostgres;
let system: FeedSystem;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  const settings = { DOSKA_FEEDS_LOCK_MS: '3000', DOSKA_FEEDS_RENEW_MS: '300', DOSKA_FEEDS_RETRY_MS: '100' };
  system = await feedSystem([catalogApi, gostScheduler, feedsApi], settings, WITHIN.withinMs, postgres);
});
afterAll(() => system?.stop());
async function* file(offers: number) {
  yield* madeFeed({ offers });
}

test('[P3] [P6] PostgreSQL is restarted while a feed is processed: the load ends, and every offer is counted once', async () => {
  const task = (await system.useCases.upload(key, file(OFFERS)))._unsafeUnwrap().task.id;
  const processes = [system.start('feed-processor'), system.start('feed-processor')];
  for (let restart = 0; restart < RESTARTS; restart++) {
    const sent = await eventually(async () => {
      const { load } = (await system.useCases.getLoad({ ...key, task }))._unsafeUnwrap();
      expect(load.progress.batchesSent).toBeGreaterThan(restart);
      return load.task.place;
    }, WITHIN);
    // The last restart may come when everything is sent and answers are on their way.
    if (restart === 0) expect(sent).toBe('queued');
    await postgres.stop();
    await postgres.start();
  }
  const { load, statistics } = await eventually(async () => {
    const view = (await system.useCases.getLoad({ ...key, task }))._unsafeUnwrap();
    expect(view.load.task.place).toBe('succeed');
    return view;
  }, WITHIN);
  expect(processes.map(({ exitCode }) => exitCode)).toEqual([null, null]);
  expect(load.progress.offersSent).toBe(OFFERS);
  const counted = FEED_VERDICTS.reduce((sum, verdict) => sum + statistics.verdicts[verdict], 0);
  const { inserted, updated, unchanged } = statistics.verdicts;
  expect([counted, inserted + updated + unchanged]).toEqual([OFFERS, OFFERS]);
  expect(await system.active(key)).toBe(OFFERS);
}, 600_000);

import type { ChildProcess } from 'node:child_process';
import { readdirSync, utimesSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createServer as createSocket, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { catalogApi } from '@doska/app-catalog-api';
import { Tokens } from '@doska/app-composition';
import { feedsApi } from '@doska/app-feeds-api';
import { gostScheduler } from '@doska/app-gost-scheduler';
import { FeedsTokens } from '@doska/app-wiring/feeds';
import { noDefaults, type FeedTaskId, type LoadView } from '@doska/core/feeds';
import { madeFeed } from '@doska/core/feeds/testing';
import type { SellerId } from '@doska/core/gost';
import { parseRole } from '@doska/core/kernel';
import { eventually } from '@doska/core/kernel/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { feedSystem, type FeedSystem } from './testing/feed-system.ts';

/** The apps of feeds as processes of their own, killed in earnest. The offer store and the APIs run here. */
const DAY_MS = 86_400_000;
const WITHIN = { withinMs: 120_000 };

let system: FeedSystem;
let web: Server;
let page: Uint8Array = new Uint8Array();
beforeAll(async () => {
  web = createServer((_, response) => void response.end(page));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const settings = {
    DOSKA_FEEDS_LOCK_MS: '2000',
    DOSKA_FEEDS_RENEW_MS: '200',
    DOSKA_FEEDS_RETRY_MS: '100',
    DOSKA_DOWNLOAD_ALLOW: '127.0.0.1',
    DOSKA_DOWNLOAD_PORTS: String((web.address() as AddressInfo).port),
  };
  system = await feedSystem([catalogApi, gostScheduler, feedsApi], settings, WITHIN.withinMs);
});
afterAll(async () => {
  web?.close();
  await system?.stop();
});

const killed = async (child: ChildProcess): Promise<void> => {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
};
const cleanUp = async (): Promise<void> => {
  const { signal } = new AbortController();
  (
    await system.host.container.get(FeedsTokens.feeds).workers.cleanUp.run({ signal, token: 1 })
  )._unsafeUnwrap();
};
let sellers = 0;
const newKey = () => ({ seller: `killed-${++sellers}` as SellerId, namespace: 'main' });
type Key = ReturnType<typeof newKey>;
async function* file(offers: number) {
  yield* madeFeed({ offers });
}
const uploaded = async (key: Key, offers: number): Promise<FeedTaskId> =>
  (await system.useCases.upload(key, file(offers)))._unsafeUnwrap().task.id;
const succeeded = (key: Key, task: FeedTaskId): Promise<LoadView> => system.reached(key, task, 'succeed');
const rowsOf = async (table: string, { seller }: Key): Promise<number> => {
  const { rows } = await system.database.pool.query<{ n: string }>(
    `select count(*) as n from feeds.${table} where seller_id = $1`,
    [seller],
  );
  return Number(rows[0]!.n);
};
const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(system.dataDir, folder), { recursive: true }).map(String);

const setLink = async (key: Key): Promise<void> => {
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/feed.xml`;
  const link = {
    url,
    intervalMs: 3_600_000,
    format: 'auto',
    absent: 'remove',
    defaults: noDefaults,
  } as const;
  (await system.useCases.setFeed(key, link))._unsafeUnwrap();
};

describe('processes of feeds', () => {
  test('[P3] [P6] kill -9 of a processor in the middle of a feed: the heir finishes under a higher generation', async () => {
    const OFFERS = 4_000;
    const key = newKey();
    const task = await uploaded(key, OFFERS);
    const victim = system.start('feed-processor');
    const before = await eventually(async () => {
      const { load } = await system.viewOf(key, task);
      expect(load.progress.batchesSent).toBeGreaterThan(2);
      expect(load.task.place).toBe('queued');
      return load.task.generation;
    }, WITHIN);
    await killed(victim);
    system.start('feed-processor');
    const { load, statistics } = await succeeded(key, task);
    expect(load.task.generation).toBeGreaterThan(before);
    expect(statistics.generation).toBe(load.task.generation);
    expect(load.progress.offersSent).toBe(OFFERS);
    const { inserted, updated, unchanged, ...others } = statistics.verdicts;
    expect(inserted + updated + unchanged).toBe(OFFERS);
    expect(Object.values(others).every((count) => count === 0)).toBe(true);
    expect(await system.active(key)).toBe(OFFERS);
  }, 300_000);

  test('[P3] a processor that slept through its lock is refused, and counts nothing twice', async () => {
    const OFFERS = 3_000;
    const key = newKey();
    const task = await uploaded(key, OFFERS);
    const zombie = system.start('feed-processor');
    await eventually(async () => {
      const { load } = await system.viewOf(key, task);
      expect(load.progress.batchesSent).toBeGreaterThan(2);
      expect(load.task.place).toBe('queued');
    }, WITHIN);
    zombie.kill('SIGSTOP');
    system.start('feed-processor');
    const { statistics, load } = await succeeded(key, task);
    zombie.kill('SIGCONT');
    const later = await uploaded(key, OFFERS);
    const second = await succeeded(key, later);
    expect(second.load.task.generation).toBeGreaterThan(load.task.generation);
    expect(second.statistics.verdicts.unchanged).toBe(OFFERS);
    expect((await system.viewOf(key, task)).statistics).toEqual(statistics);
    expect(await system.active(key)).toBe(OFFERS);
  }, 300_000);

  test('[P6] kill -9 of the process that saves answers: every answer is counted once', async () => {
    const OFFERS = 3_000;
    const key = newKey();
    const task = await uploaded(key, OFFERS);
    for (let kill = 0; kill < 3; kill++) {
      const victim = system.start('feed-processor');
      const seen = (await system.viewOf(key, task)).statistics.verdicts.inserted;
      await eventually(async () => {
        const { load, statistics } = await system.viewOf(key, task);
        const isOver = load.task.place === 'succeed';
        expect(isOver || statistics.verdicts.inserted > seen || load.task.place === 'sent').toBe(true);
      }, WITHIN);
      await killed(victim);
    }
    system.start('feed-processor');
    const { statistics } = await succeeded(key, task);
    const { inserted, updated, unchanged } = statistics.verdicts;
    expect(inserted + updated + unchanged).toBe(OFFERS);
    const { rows } = await system.database.pool.query<{ batches: string; most: number }>(
      'select count(*) as batches, max(batch_id) as most from feeds.offer_batches where seller_id = $1 and generation = $2',
      [key.seller, statistics.generation],
    );
    expect(Number(rows[0]!.batches)).toBe(Number(rows[0]!.most) + 1);
  }, 300_000);

  test('[P2] kill -9 of the API in the middle of an upload: no load, and nothing is left after the sweep', async () => {
    const key = newKey();
    const port = await new Promise<number>((resolve) => {
      const socket = createSocket().listen(0, '127.0.0.1', () => {
        const { port: free } = socket.address() as AddressInfo;
        socket.close(() => resolve(free));
      });
    });
    const victim = system.start('feeds-api', { DOSKA_HTTP_PORT: String(port) });
    await eventually(
      async () => expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBeGreaterThan(0),
      WITHIN,
    );
    const token = (
      await system.host.container.get(Tokens.issueToken)({
        subject: 'test',
        ttlSec: 600,
        roles: [parseRole(`seller:${key.seller}`)._unsafeUnwrap()],
      })
    )._unsafeUnwrap();
    const path = `/v1/sellers/${key.seller}/feeds/main/loads`;
    const call = request({
      port,
      host: '127.0.0.1',
      path,
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    const broken = new Promise((resolve) => call.once('error', resolve));
    for (const chunk of madeFeed({ offers: 500 })) call.write(chunk);
    await eventually(() => expect(filesIn('spool').length).toBeGreaterThan(0), WITHIN);
    await killed(victim);
    call.destroy();
    await broken;
    expect(await rowsOf('tasks', key)).toBe(0);
    expect(await rowsOf('feed', key)).toBe(0);
    const { rows } = await system.database.pool.query<{ n: string }>(
      'select count(*) as n from feeds.file_owners',
    );
    expect(Number(rows[0]!.n)).toBe(0);
    // What is on its way for a day is swept by the next process that takes a file.
    const old = new Date(Date.now() - 2 * DAY_MS);
    for (const name of filesIn('spool')) utimesSync(join(system.dataDir, 'spool', name), old, old);
    const heir = system.start('feed-loader');
    page = Buffer.concat([...madeFeed({ offers: 1 })]);
    await setLink(key);
    await eventually(async () => expect(await rowsOf('tasks', key)).toBe(1), WITHIN);
    await killed(heir);
    expect(filesIn('spool')).toEqual([]);
  }, 300_000);

  test('[P2] [P7] kill -9 of a loader between the file and its load: the heir makes one load, and the first file goes', async () => {
    const key = newKey();
    const orphan = Buffer.concat([...madeFeed({ offers: 3 })]);
    page = orphan;
    const stopped = await system.database.pool.connect();
    await stopped.query('begin');
    await stopped.query('lock table feeds.tasks in exclusive mode');
    const before = new Set(filesIn('blobs'));
    await setLink(key);
    const victim = system.start('feed-loader');
    const [left] = await eventually(() => {
      const found = filesIn('blobs').filter((name) => !before.has(name) && /[0-9a-f]{64}/.test(name));
      expect(found.length).toBeGreaterThan(0);
      return found;
    }, WITHIN);
    await killed(victim);
    await stopped.query('rollback');
    stopped.release();
    page = Buffer.concat([...madeFeed({ offers: 4 })]);
    system.start('feed-loader');
    system.start('feed-processor');
    const task = await eventually(async () => {
      const loads = (await system.useCases.listLoads(key, { limit: 10 }))._unsafeUnwrap();
      expect(loads[0]?.load.task.place).toBe('succeed');
      return loads[0]!.load.task.id;
    }, WITHIN);
    expect(await system.active(key)).toBe(4);
    await system.database.pool.query('update feeds.file_owners set announced_at = 0');
    await cleanUp();
    const { load } = await system.viewOf(key, task);
    const files = filesIn('blobs').join('\n');
    expect(files).toContain(load.file!.hash);
    const loads = (await system.useCases.listLoads(key, { limit: 10 }))._unsafeUnwrap();
    // A commit that had reached the server before the kill may still have made its load: then its file stays.
    if (loads.length === 1) expect(files).not.toContain(left!);
    else expect(loads.every((one) => files.includes(one.load.file!.hash))).toBe(true);
  }, 300_000);
});

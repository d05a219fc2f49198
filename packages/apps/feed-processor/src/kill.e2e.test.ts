import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createServer as createSocket, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { catalogApi } from '@doska/app-catalog-api';
import { loadConfig, startHost, Tokens, type RunningHost } from '@doska/app-composition';
import { feedsApi } from '@doska/app-feeds-api';
import { gostScheduler } from '@doska/app-gost-scheduler';
import { contexts } from '@doska/app-wiring';
import { FeedsTokens } from '@doska/app-wiring/feeds';
import { GostTokens } from '@doska/app-wiring/gost';
import { noDefaults, type FeedTaskId, type LoadView } from '@doska/core/feeds';
import { madeFeed } from '@doska/core/feeds/testing';
import { offerStatus, type SellerId } from '@doska/core/gost';
import { parseRole } from '@doska/core/kernel';
import { eventually } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

/** The apps of feeds as processes of their own, killed in earnest. The offer store and the APIs run here. */
const MAIN = fileURLToPath(new URL('../../platform/dist/main.js', import.meta.url));
const DAY_MS = 86_400_000;
const WITHIN = { withinMs: 120_000 };

let database: FreshDatabase;
let host: RunningHost;
let web: Server;
let page: Uint8Array = new Uint8Array();
const dataDir = mkdtempSync(join(tmpdir(), 'doska-feeds-kill-'));
let settings: Record<string, string>;
beforeAll(async () => {
  database = await freshDatabase({ max: 6 });
  web = createServer((_, response) => void response.end(page));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  settings = {
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
    DOSKA_FEEDS_LOCK_MS: '2000',
    DOSKA_FEEDS_RENEW_MS: '200',
    DOSKA_FEEDS_RETRY_MS: '100',
    DOSKA_DOWNLOAD_ALLOW: '127.0.0.1',
    DOSKA_DOWNLOAD_PORTS: String((web.address() as AddressInfo).port),
  };
  const { config } = loadConfig(settings, contexts)._unsafeUnwrap();
  host = (await startHost('feeds-kill', [catalogApi, gostScheduler, feedsApi], config))._unsafeUnwrap();
});
afterAll(async () => {
  await host?.stop();
  web?.close();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = (app: string, more: Record<string, string> = {}): ChildProcess => {
  const clean = Object.entries(process.env).filter(([name]) => !/^(DOSKA_|DATABASE_URL$)/.test(name));
  const env = { ...Object.fromEntries(clean), ...settings, ...more };
  const child = spawn(process.execPath, [MAIN, app], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
};
const killed = async (child: ChildProcess): Promise<void> => {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
};
const useCases = () => host.container.get(FeedsTokens.feeds).useCases;
const cleanUp = async (): Promise<void> => {
  const { signal } = new AbortController();
  (await host.container.get(FeedsTokens.feeds).workers.cleanUp.run({ signal, token: 1 }))._unsafeUnwrap();
};
let sellers = 0;
const newKey = () => ({ seller: `killed-${++sellers}` as SellerId, namespace: 'main' });
type Key = ReturnType<typeof newKey>;
async function* file(offers: number) {
  yield* madeFeed({ offers });
}
const uploaded = async (key: Key, offers: number): Promise<FeedTaskId> =>
  (await useCases().upload(key, file(offers)))._unsafeUnwrap().task.id;
const viewOf = async (key: Key, task: FeedTaskId): Promise<LoadView> =>
  (await useCases().getLoad({ ...key, task }))._unsafeUnwrap();
const succeeded = (key: Key, task: FeedTaskId): Promise<LoadView> =>
  eventually(async () => {
    const view = await viewOf(key, task);
    expect(view.load.task.place).toBe('succeed');
    return view;
  }, WITHIN);
const active = async ({ seller }: Key): Promise<number> => {
  const { scan } = host.container.get(GostTokens.stores);
  let count = 0;
  for (let after: Parameters<typeof scan.ofSeller>[1]['after']; ;) {
    const found = (
      await scan.ofSeller(seller, { limit: 1_000, ...(after ? { after } : {}) })
    )._unsafeUnwrap();
    count += found.filter((offer) => offerStatus(offer) === 'active').length;
    const last = found.at(-1);
    if (!last || found.length < 1_000) return count;
    after = last.id;
  }
};
const rowsOf = async (table: string, { seller }: Key): Promise<number> => {
  const { rows } = await database.pool.query<{ n: string }>(
    `select count(*) as n from feeds.${table} where seller_id = $1`,
    [seller],
  );
  return Number(rows[0]!.n);
};
const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(dataDir, folder), { recursive: true }).map(String);

const setLink = async (key: Key): Promise<void> => {
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/feed.xml`;
  const link = {
    url,
    intervalMs: 3_600_000,
    format: 'auto',
    absent: 'remove',
    defaults: noDefaults,
  } as const;
  (await useCases().setFeed(key, link))._unsafeUnwrap();
};

describe('processes of feeds', () => {
  test('[P3] [P6] kill -9 of a processor in the middle of a feed: the heir finishes under a higher generation', async () => {
    const OFFERS = 4_000;
    const key = newKey();
    const task = await uploaded(key, OFFERS);
    const victim = start('feed-processor');
    const before = await eventually(async () => {
      const { load } = await viewOf(key, task);
      expect(load.progress.batchesSent).toBeGreaterThan(2);
      expect(load.task.place).toBe('queued');
      return load.task.generation;
    }, WITHIN);
    await killed(victim);
    start('feed-processor');
    const { load, statistics } = await succeeded(key, task);
    expect(load.task.generation).toBeGreaterThan(before);
    expect(statistics.generation).toBe(load.task.generation);
    expect(load.progress.offersSent).toBe(OFFERS);
    const { inserted, updated, unchanged, ...others } = statistics.verdicts;
    expect(inserted + updated + unchanged).toBe(OFFERS);
    expect(Object.values(others).every((count) => count === 0)).toBe(true);
    expect(await active(key)).toBe(OFFERS);
  }, 300_000);

  test('[P3] a processor that slept through its lock is refused, and counts nothing twice', async () => {
    const OFFERS = 3_000;
    const key = newKey();
    const task = await uploaded(key, OFFERS);
    const zombie = start('feed-processor');
    await eventually(async () => {
      const { load } = await viewOf(key, task);
      expect(load.progress.batchesSent).toBeGreaterThan(2);
      expect(load.task.place).toBe('queued');
    }, WITHIN);
    zombie.kill('SIGSTOP');
    start('feed-processor');
    const { statistics, load } = await succeeded(key, task);
    zombie.kill('SIGCONT');
    const later = await uploaded(key, OFFERS);
    const second = await succeeded(key, later);
    expect(second.load.task.generation).toBeGreaterThan(load.task.generation);
    expect(second.statistics.verdicts.unchanged).toBe(OFFERS);
    expect((await viewOf(key, task)).statistics).toEqual(statistics);
    expect(await active(key)).toBe(OFFERS);
  }, 300_000);

  test('[P6] kill -9 of the process that saves answers: every answer is counted once', async () => {
    const OFFERS = 3_000;
    const key = newKey();
    const task = await uploaded(key, OFFERS);
    for (let kill = 0; kill < 3; kill++) {
      const victim = start('feed-processor');
      const seen = (await viewOf(key, task)).statistics.verdicts.inserted;
      await eventually(async () => {
        const { load, statistics } = await viewOf(key, task);
        const isOver = load.task.place === 'succeed';
        expect(isOver || statistics.verdicts.inserted > seen || load.task.place === 'sent').toBe(true);
      }, WITHIN);
      await killed(victim);
    }
    start('feed-processor');
    const { statistics } = await succeeded(key, task);
    const { inserted, updated, unchanged } = statistics.verdicts;
    expect(inserted + updated + unchanged).toBe(OFFERS);
    const { rows } = await database.pool.query<{ batches: string; most: number }>(
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
    const victim = start('feeds-api', { DOSKA_HTTP_PORT: String(port) });
    await eventually(
      async () => expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBeGreaterThan(0),
      WITHIN,
    );
    const token = (
      await host.container.get(Tokens.issueToken)({
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
    const { rows } = await database.pool.query<{ n: string }>('select count(*) as n from feeds.file_owners');
    expect(Number(rows[0]!.n)).toBe(0);
    // What is on its way for a day is swept by the next process that takes a file.
    const old = new Date(Date.now() - 2 * DAY_MS);
    for (const name of filesIn('spool')) utimesSync(join(dataDir, 'spool', name), old, old);
    const heir = start('feed-loader');
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
    const stopped = await database.pool.connect();
    await stopped.query('begin');
    await stopped.query('lock table feeds.tasks in exclusive mode');
    const before = new Set(filesIn('blobs'));
    await setLink(key);
    const victim = start('feed-loader');
    const [left] = await eventually(() => {
      const found = filesIn('blobs').filter((name) => !before.has(name) && /[0-9a-f]{64}/.test(name));
      expect(found.length).toBeGreaterThan(0);
      return found;
    }, WITHIN);
    await killed(victim);
    await stopped.query('rollback');
    stopped.release();
    page = Buffer.concat([...madeFeed({ offers: 4 })]);
    start('feed-loader');
    start('feed-processor');
    const task = await eventually(async () => {
      const loads = (await useCases().listLoads(key, { limit: 10 }))._unsafeUnwrap();
      expect(loads[0]?.load.task.place).toBe('succeed');
      return loads[0]!.load.task.id;
    }, WITHIN);
    expect(await active(key)).toBe(4);
    await database.pool.query('update feeds.file_owners set announced_at = 0');
    await cleanUp();
    const { load } = await viewOf(key, task);
    const files = filesIn('blobs').join('\n');
    expect(files).toContain(load.file!.hash);
    const loads = (await useCases().listLoads(key, { limit: 10 }))._unsafeUnwrap();
    // A commit that had reached the server before the kill may still have made its load: then its file stays.
    if (loads.length === 1) expect(files).not.toContain(left!);
    else expect(loads.every((one) => files.includes(one.load.file!.hash))).toBe(true);
  }, 300_000);
});

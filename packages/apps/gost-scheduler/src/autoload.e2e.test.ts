import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { loadCatalogFiles } from '@doska/adapters-files';
import { pgCatalogStore, pgMessageLog, type PgMessageLog } from '@doska/adapters-pg';
import { catalogCodec, flowCodecs } from '@doska/adapters-proto';
import { DEMO_DIR } from '@doska/app-catalog-api';
import { openCatalog, type CategoryId } from '@doska/core/catalog';
import {
  FEED_OFFERS,
  FEED_PHOTO_ERRORS,
  FEED_RESULTS,
  MODERATION_OPINIONS,
  OFFER_UPDATES,
  type FeedAnswer,
  type FeedEntry,
  type FeedKey,
  type FeedMessage,
  type SellerId,
} from '@doska/core/gost';
import { feedEntry, feedTerminal } from '@doska/core/gost/testing';
import { deadTopicSpec, silentTelemetry, type LogReader } from '@doska/core/kernel';
import { eventually, realClock, realIds, realRandom } from '@doska/core/kernel/testing';
import { PHOTO_REQUESTS, PHOTO_RESULTS } from '@doska/core/photos';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';

/** Twenty thousand offers of four feeds (a hundred thousand in the long form), through two schedulers of which one is killed on the way. */
const MAIN = fileURLToPath(new URL('../../platform/dist/main.js', import.meta.url));
const PARTITIONS = 4;
const BATCH = 500;
const OFFERS = process.env['DOSKA_TEST_LONG'] ? 25_000 : 5_000;
const feeds: readonly FeedKey[] = ['one', 'two', 'three', 'four'].map((name) => ({
  seller: `load-${name}` as SellerId,
  namespace: 'main',
}));

let database: FreshDatabase;
let log: PgMessageLog;
beforeAll(async () => {
  database = await freshDatabase({ max: 12 });
  const { pool, url } = database;
  const system = { clock: realClock, ids: realIds, random: realRandom, logger: silentTelemetry.logger };
  log = pgMessageLog({ url, pool, ...system });
  const spec = { partitions: PARTITIONS, retentionMs: 604_800_000, recordBytesMax: 1 << 20 };
  const read = [FEED_OFFERS, MODERATION_OPINIONS, PHOTO_RESULTS].map((name) => ({ name, ...spec }));
  const written = [OFFER_UPDATES, FEED_RESULTS, FEED_PHOTO_ERRORS, PHOTO_REQUESTS];
  const topics = [...read, ...read.map(deadTopicSpec), ...written.map((name) => ({ name, ...spec }))];
  (await log.ensureTopics(topics))._unsafeUnwrap();
  const store = pgCatalogStore({ pool, codec: catalogCodec, newUpload: () => realIds.next() });
  const content = (await loadCatalogFiles(DEMO_DIR))._unsafeUnwrap();
  (
    await openCatalog(
      { store, clock: realClock, random: realRandom, logger: silentTelemetry.logger },
      { pollMs: 1_000 },
    ).useCases.publish({ content })
  )._unsafeUnwrap();
});
afterAll(async () => {
  await log.close();
  await database.drop();
});

const scheduler = (): ChildProcess => {
  const dataDir = mkdtempSync(join(tmpdir(), 'doska-autoload-'));
  chmodSync(dataDir, 0o755);
  const clean = Object.entries(process.env).filter(([name]) => !/^(DOSKA_|DATABASE_URL$)/.test(name));
  const env = {
    ...Object.fromEntries(clean),
    DATABASE_URL: database.url,
    DOSKA_DATA_DIR: dataDir,
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_GOST_EXPORT_SHARDS: '4',
    DOSKA_PARTITIONS: String(PARTITIONS),
    DOSKA_LEASE_MS: '1500',
    DOSKA_HEARTBEAT_MS: '200',
    DOSKA_LOG_LEVEL: 'error',
  };
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  const child = spawn(process.execPath, [MAIN, 'gost-scheduler'], { env, stdio: [...stdio] });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });
  return child;
};

const entryOf = (n: number, title = `Feed ${n}`): FeedEntry =>
  feedEntry(n, { category: 'rodents' as CategoryId, attributes: [], title });
const send = async (messages: readonly FeedMessage[]): Promise<void> => {
  for (let at = 0; at < messages.length; at += 8) {
    const some = messages.slice(at, at + 8);
    const records = some.map((message) => ({
      topic: FEED_OFFERS,
      key: message.seller,
      value: flowCodecs.feedOffers.encode(message),
    }));
    (await log.publish(records))._unsafeUnwrap();
  }
};
/** A load of `entries` by every feed. */
const loadAll = async (task: number, entries: readonly FeedEntry[]): Promise<void> => {
  for (const feed of feeds) {
    const at = { ...feed, task, generation: task };
    const batches = Array.from({ length: Math.ceil(entries.length / BATCH) }, (_, batch): FeedMessage => ({
      ...at,
      kind: 'batch',
      batch,
      entries: entries.slice(batch * BATCH, (batch + 1) * BATCH),
    }));
    await send([...batches, feedTerminal(task, batches.length, entries.length, at)]);
  }
};

const readers: LogReader[] = [];
const answers: FeedAnswer[] = [];
const newAnswers = async (): Promise<readonly FeedAnswer[]> => {
  for (let partition = readers.length; partition < PARTITIONS; partition++)
    readers.push((await log.read(FEED_RESULTS, partition, 'earliest'))._unsafeUnwrap());
  for (const reader of readers)
    for (;;) {
      const records = (await reader.next({ recordsMax: 200 }))._unsafeUnwrap();
      if (records.length === 0) break;
      answers.push(...records.map(({ value }) => flowCodecs.feedResults.decode(value)._unsafeUnwrap()));
    }
  return answers;
};
const terminalsOf = async (task: number, outcome: string) =>
  (await newAnswers()).filter(
    (one) => one.kind === 'terminal' && one.task === task && one.outcome === outcome,
  );
/** Every message is answered once, but for what a killed exporter tells twice; so answers are counted by message. */
const verdictsOf = (task: number): Record<string, number> => {
  const batches = new Map<string, FeedAnswer>();
  for (const one of answers)
    if (one.kind === 'batch' && one.task === task) batches.set(`${one.seller}/${one.batch}`, one);
  const counts: Record<string, number> = {};
  for (const one of batches.values())
    if (one.kind === 'batch')
      for (const { verdict } of one.entries) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
};
const number = async (sql: string): Promise<number> =>
  Number((await database.pool.query<{ n: string }>(`select count(*) as n from ${sql}`)).rows[0]?.n);
const patience = { withinMs: 240_000, everyMs: 250 };

test(`[G8] ${4 * OFFERS} offers: created, unchanged, one percent changed, half of them missing: held, then forced`, async () => {
  const all = Array.from({ length: OFFERS }, (_, n) => entryOf(n));
  const total = OFFERS * feeds.length;
  const victim = scheduler();
  scheduler();
  await loadAll(1, all);
  await eventually(async () => expect(await number('gost.feed')).toBeGreaterThan(total / 5), patience);
  victim.kill('SIGKILL');
  scheduler();
  await eventually(
    async () => expect(new Set((await terminalsOf(1, 'done')).map(({ seller }) => seller)).size).toBe(4),
    patience,
  );
  expect(verdictsOf(1)).toEqual({ inserted: total });
  expect(await number('gost.offer where kind = 0')).toBe(total);

  await loadAll(2, all);
  await eventually(async () => expect(await terminalsOf(2, 'done')).toHaveLength(4), patience);
  expect(verdictsOf(2)).toEqual({ unchanged: total });
  expect(await number('gost.offer where kind = 0 and version > 1')).toBe(0);

  await loadAll(
    3,
    all.map((entry, n) => (n % 100 === 0 ? entryOf(n, `Changed ${n}`) : entry)),
  );
  await eventually(async () => expect(await terminalsOf(3, 'done')).toHaveLength(4), patience);
  expect(verdictsOf(3)).toEqual({ unchanged: total * 0.99, updated: total * 0.01 });
  expect(await number('gost.offer where kind = 0 and version > 1')).toBe(total * 0.01);

  await loadAll(4, all.slice(0, OFFERS / 2 - BATCH));
  await eventually(async () => expect(await terminalsOf(4, 'held')).toHaveLength(4), patience);
  expect(await number('gost.offer where kind = 0 and status = 5')).toBe(0);
  const batches = (OFFERS / 2 - BATCH) / BATCH;
  await send(
    feeds.map((feed) =>
      feedTerminal(4, batches, OFFERS / 2 - BATCH, { ...feed, generation: 4, force: true }),
    ),
  );
  await eventually(async () => expect(await terminalsOf(4, 'done')).toHaveLength(4), patience);
  const removed = total - (OFFERS / 2 - BATCH) * feeds.length;
  expect(
    (await terminalsOf(4, 'done')).reduce((sum, one) => sum + (one.kind === 'terminal' ? one.removed : 0), 0),
  ).toBe(removed);
  expect(await number('gost.offer where kind = 0 and status = 5')).toBe(removed);
  expect(await number('gost.feed')).toBe(total - removed);
}, 600_000);

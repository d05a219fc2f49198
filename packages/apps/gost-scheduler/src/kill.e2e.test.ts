import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { pgGostStores, pgMessageLog, type PgMessageLog } from '@doska/adapters-pg';
import { gostCodecs } from '@doska/adapters-proto';
import { OFFER_UPDATES, type GostStores, type Offer, type OfferView } from '@doska/core/gost';
import { alteration, publication, sampleContent, sampleSeller } from '@doska/core/gost/testing';
import { silentTelemetry, type LogReader } from '@doska/core/kernel';
import { eventually, realClock, realIds, realRandom } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';

/** The built scheduler as processes of its own, killed and frozen in earnest. */
const MAIN = fileURLToPath(new URL('../../platform/dist/main.js', import.meta.url));
const SHARDS = 4;
const PARTITIONS = 4;
const OFFERS = 60;

let database: FreshDatabase;
let log: PgMessageLog;
let stores: GostStores;
beforeAll(async () => {
  database = await freshDatabase({ max: 12 });
  const { pool, url } = database;
  const system = { clock: realClock, ids: realIds, random: realRandom, logger: silentTelemetry.logger };
  log = pgMessageLog({ url, pool, ...system });
  stores = pgGostStores({ pool, codecs: gostCodecs, clock: realClock });
  const topic = { name: OFFER_UPDATES, partitions: PARTITIONS, retentionMs: 1e9, recordBytesMax: 1 << 20 };
  (await log.ensureTopics([topic]))._unsafeUnwrap();
});
afterAll(async () => {
  await Promise.all(readers.map((reader) => reader.close()));
  await log.close();
  await database.drop();
});

const scheduler = (): ChildProcess => {
  const dataDir = mkdtempSync(join(tmpdir(), 'doska-scheduler-'));
  chmodSync(dataDir, 0o755);
  const clean = Object.entries(process.env).filter(([name]) => !/^(DOSKA_|DATABASE_URL$)/.test(name));
  const env = {
    ...Object.fromEntries(clean),
    DATABASE_URL: database.url,
    DOSKA_DATA_DIR: dataDir,
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_GOST_EXPORT_SHARDS: String(SHARDS),
    DOSKA_GOST_EXPORT_BATCH: '10',
    DOSKA_PARTITIONS: String(PARTITIONS),
    DOSKA_LEASE_MS: '1200',
    DOSKA_HEARTBEAT_MS: '150',
    DOSKA_LOG_LEVEL: 'error',
  };
  const child = spawn(process.execPath, [MAIN, 'gost-scheduler'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });
  return child;
};

/** Sellers of every shard change their offers, each at its own pace, until they are told to stop. */
class Writers {
  readonly versions = new Map<string, number>();
  #running = true;
  #work: Promise<unknown> = Promise.resolve();
  constructor(readonly base: number) {}
  start(): void {
    this.#work = Promise.all(Array.from({ length: OFFERS }, (_, n) => this.#write(n)));
  }
  async #write(n: number): Promise<void> {
    const made = publication(this.base + n, {
      seller: sampleSeller(n),
      shards: SHARDS,
      nowUs: Date.now() * 1_000,
    });
    let offer: Offer = made.offer;
    let change = made;
    while (this.#running || offer.version === 1) {
      (await stores.offers.commit([{ changes: [change] }]))._unsafeUnwrap()[0]!._unsafeUnwrap();
      offer = change.offer;
      this.versions.set(offer.id, offer.version);
      const content = sampleContent({ title: `edit ${offer.version}` });
      change = alteration(offer, { kind: 'edit', content }, { shards: SHARDS, nowUs: Date.now() * 1_000 });
      await new Promise((resolve) => setTimeout(resolve, 40 + realRandom.below(80)));
    }
  }
  async stop(): Promise<void> {
    this.#running = false;
    await this.#work;
  }
}
/** All that the topic holds; only what is new is read each time. */
const seenViews: OfferView[] = [];
const readers: LogReader[] = [];
const told = async (): Promise<readonly OfferView[]> => {
  for (let partition = readers.length; partition < PARTITIONS; partition++)
    readers.push((await log.read(OFFER_UPDATES, partition, 'earliest'))._unsafeUnwrap());
  for (const reader of readers)
    for (;;) {
      const records = (await reader.next({ recordsMax: 1_000 }))._unsafeUnwrap();
      if (records.length === 0) break;
      seenViews.push(...records.map(({ value }) => gostCodecs.view.decode(value)._unsafeUnwrap()));
    }
  return seenViews;
};
const waiting = async (): Promise<number> => {
  const { rows } = await database.pool.query<{ n: string }>('select count(*) as n from gost.queue');
  return Number(rows[0]?.n);
};
const toldSince = async (writers: Writers): Promise<number> =>
  (await told()).filter(({ id }) => writers.versions.has(id)).length;

/** Every version of every offer, none before an older one, and the greatest one is what the offer is. */
const expectEverything = async (writers: Writers): Promise<void> => {
  const views = (await told()).filter(({ id }) => writers.versions.has(id));
  expect(new Set(views.map(({ id }) => id)).size).toBe(OFFERS);
  for (const [id, last] of writers.versions) {
    const seen = views.filter((view) => view.id === id).map(({ version }) => version);
    expect(seen, id).toEqual([...seen].sort((a, b) => a - b));
    expect([...new Set(seen)], id).toEqual(Array.from({ length: last }, (_, n) => n + 1));
  }
};

describe('gost-scheduler', () => {
  let writers: Writers,
    base = 1_000;
  beforeEach(() => {
    writers = new Writers((base += 1_000));
    return () => writers.stop();
  });

  test('[G5] killed with -9 in the midst of its batches it loses nothing and breaks no order', async () => {
    let victim = scheduler();
    writers.start();
    for (let kill = 0, seen = 0; kill < 2; kill++) {
      await eventually(async () => expect(await toldSince(writers)).toBeGreaterThan(seen + 100), {
        withinMs: 90_000,
      });
      victim.kill('SIGKILL');
      seen = await toldSince(writers);
      victim = scheduler();
    }
    await writers.stop();
    await eventually(async () => expect(await waiting()).toBe(0), { withinMs: 90_000 });
    await expectEverything(writers);
  }, 300_000);

  test('[G5] a zombie that wakes up after its shards went to another is refused by the log’s fence', async () => {
    const zombie = scheduler();
    scheduler();
    writers.start();
    await eventually(async () => expect(await toldSince(writers)).toBeGreaterThan(200), { withinMs: 90_000 });
    zombie.kill('SIGSTOP');
    const before = await toldSince(writers);
    // The other one has taken over when the queue is short although the zombie sleeps and everybody writes.
    await eventually(
      async () => {
        expect(await toldSince(writers)).toBeGreaterThan(before + 150);
        expect(await waiting()).toBeLessThan(OFFERS * 2);
      },
      { withinMs: 90_000 },
    );
    zombie.kill('SIGCONT');
    const awake = await toldSince(writers);
    await eventually(async () => expect(await toldSince(writers)).toBeGreaterThan(awake + 150), {
      withinMs: 90_000,
    });
    await writers.stop();
    await eventually(async () => expect(await waiting()).toBe(0), { withinMs: 90_000 });
    await expectEverything(writers);
  }, 300_000);
});

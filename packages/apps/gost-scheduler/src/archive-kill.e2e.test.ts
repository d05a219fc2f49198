import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fileBlobStore } from '@doska/adapters-files';
import { pgGostStores } from '@doska/adapters-pg';
import { gostCodecs } from '@doska/adapters-proto';
import { type GostStores, type Offer, type OfferId } from '@doska/core/gost';
import { archivedOf, ROWS_MAX } from '@doska/core/gost/storage';
import { alteration, makeReadArchive, publication, sampleSeller } from '@doska/core/gost/testing';
import { eventually, realClock } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';

/** The built scheduler as a process of its own, killed in earnest while it archives. */
const MAIN = fileURLToPath(new URL('../../platform/dist/main.js', import.meta.url));
const SHARDS = 4;
const OFFERS = 400;
const DAY_US = 86_400_000_000;

let database: FreshDatabase;
let stores: GostStores;
let child: ChildProcess | undefined;
const dataDir = mkdtempSync(join(tmpdir(), 'doska-archive-kill-'));
beforeAll(async () => {
  chmodSync(dataDir, 0o755);
  database = await freshDatabase();
  stores = pgGostStores({ pool: database.pool, codecs: gostCodecs, clock: realClock });
});
afterAll(async () => {
  child?.kill('SIGKILL');
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = (): ChildProcess => {
  const clean = Object.entries(process.env).filter(([name]) => !/^(DOSKA_|DATABASE_URL$)/.test(name));
  const env = {
    ...Object.fromEntries(clean),
    DATABASE_URL: database.url,
    DOSKA_DATA_DIR: dataDir,
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_GOST_EXPORT_SHARDS: String(SHARDS),
    DOSKA_GOST_ARCHIVE_DAYS: '1',
    DOSKA_GOST_BANNED_FEED_DAYS: '1',
    DOSKA_GOST_ARCHIVE_BATCH: '3',
    DOSKA_GOST_ARCHIVE_EVERY_MS: '100',
    DOSKA_LOG_LEVEL: 'error',
    DOSKA_GOST_ARCHIVE_SWEEP_MS: '1000',
    DOSKA_GOST_ARCHIVE_GRACE_MS: '1000',
    DOSKA_LEASE_MS: '700',
    DOSKA_HEARTBEAT_MS: '100',
  };
  child = spawn(process.execPath, [MAIN, 'gost-scheduler'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return child;
};
const archivedCount = async (): Promise<number> => {
  const { rows } = await database.pool.query<{ n: string }>('select count(*) as n from gost.archive');
  return Number(rows[0]?.n);
};
const segments = (): number =>
  readdirSync(join(dataDir, 'blobs', 'gost-archive'), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /^[0-9a-f]{64}$/.test(entry.name),
  ).length;
const ended = async (): Promise<ReadonlyMap<OfferId, Offer>> => {
  const offers = new Map<OfferId, Offer>();
  const nowUs = Date.now() * 1_000 - 2 * DAY_US;
  for (let n = 0; n < OFFERS; n += 50) {
    const made = Array.from({ length: 50 }, (_, i) =>
      publication(n + i, { nowUs, shards: SHARDS, seller: sampleSeller((n + i) % 20) }),
    );
    const sold = made.map(({ offer }) =>
      alteration(offer, { kind: 'sell', onPlatform: true }, { nowUs, shards: SHARDS }),
    );
    (await stores.offers.commit([made, sold].map((changes) => ({ changes }))))
      ._unsafeUnwrap()
      .forEach((outcome) => outcome._unsafeUnwrap());
    for (const { offer } of sold) offers.set(offer.id, offer);
  }
  return offers;
};

test('[G17] a scheduler that is killed while it archives loses no offer and leaves no unused segment', async () => {
  const offers = await ended();
  const ids = [...offers.keys()];
  expect(ids.length).toBeLessThanOrEqual(ROWS_MAX);
  for (let kills = 0, before = 0; kills < 4 && before < OFFERS; kills++) {
    const running = start();
    const goal = Math.min(OFFERS, before + 15);
    await eventually(async () => expect(await archivedCount()).toBeGreaterThanOrEqual(goal), {
      withinMs: 30_000,
    });
    running.kill('SIGKILL');
    await new Promise((resolve) => running.once('exit', resolve));
    // What the dead one had sent may still be carried out between the two looks.
    await eventually(async () => {
      const live = (await stores.offers.load(ids))._unsafeUnwrap().map(({ id }) => id);
      const moved = (await stores.archive.find(ids))._unsafeUnwrap().map(({ offerId }) => offerId);
      expect([live.length + moved.length, new Set([...live, ...moved]).size]).toEqual([OFFERS, OFFERS]);
    });
    before = await archivedCount();
  }
  start();
  await eventually(async () => expect(await archivedCount()).toBe(OFFERS), { withinMs: 30_000 });
  const readArchive = makeReadArchive({
    archive: stores.archive,
    codec: gostCodecs.archived,
    readsMax: 8,
    blobs: fileBlobStore({ dir: join(dataDir, 'blobs'), clock: realClock }),
  });
  const found = (await readArchive(ids))._unsafeUnwrap();
  expect(found).toHaveLength(OFFERS);
  for (const { offer, history } of found) {
    expect(offer).toEqual(archivedOf(offers.get(offer.id)!, []).offer);
    expect(history.map(({ version }) => version)).toEqual([2, 1]);
  }
  await eventually(
    async () => {
      const { rows } = await database.pool.query<{ n: string }>(
        'select count(distinct segment) as n from gost.archive',
      );
      expect(segments()).toBe(Number(rows[0]?.n));
    },
    { withinMs: 20_000 },
  );
}, 180_000);

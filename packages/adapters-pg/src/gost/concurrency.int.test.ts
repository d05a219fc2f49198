import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gostCodecs } from '@doska/adapters-proto';
import {
  defaultGostSettings,
  OFFER_UPDATES,
  type OfferId,
  type Preset,
  type SellerId,
} from '@doska/core/gost';
import { PRESETS } from '@doska/core/gost/storage';
import { commandId, openTestGost, publication, repairCount, sampleOfferId } from '@doska/core/gost/testing';
import { silentTelemetry } from '@doska/core/kernel';
import { eventually, realClock, realIds, realRandom, seededRandom } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { pgMessageLog } from '../log/pg-message-log.ts';
import { pgGostStores } from './pg-gost-stores.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase({ max: 20 });
});
afterAll(() => db.drop());

const WRITERS = 12;
const seller = 'busy' as SellerId;
const shards = 1;
const lifetimeUs = 1_000_000_000;
const stores = () => pgGostStores({ pool: db.pool, codecs: gostCodecs, clock: realClock });
const publish = (from: number, count: number, who: SellerId) =>
  stores().offers.commit([
    {
      changes: Array.from({ length: count }, (_, n) =>
        publication(from + n, { seller: who, nowUs: from + n, shards, lifetimeUs }),
      ),
    },
  ]);
const recount = async (who: SellerId): Promise<Record<string, number>> => {
  const { rows } = await db.pool.query<{ preset: number; lines: string }>(
    'select preset, count(*) as lines from gost.user_offer_presets where seller = $1 group by preset',
    [who],
  );
  const of = (preset: Preset): number =>
    Number(rows.find((row) => row.preset === PRESETS[preset])?.lines ?? 0);
  return Object.fromEntries((Object.keys(PRESETS) as Preset[]).map((preset) => [preset, of(preset)]));
};

test('[G6] a stepwise repair among 12 writers and 100 000 lines removes an injected drift and refuses no write', async () => {
  const base = stores();
  for (let from = 0; from < 3_000; from += 250) (await publish(from, 250, seller))._unsafeUnwrap();
  // Old offers that no writer changes: the repair takes many steps, and writers meet it everywhere.
  await db.pool.query(
    `insert into gost.user_offer_presets select $1, 1, at, 'OLD' || at from generate_series(1, 100000) at`,
    [seller],
  );
  await db.pool.query(
    'update gost.user_offer_presets_count set counter = counter + 100000 where seller = $1 and preset = 1',
    [seller],
  );
  await db.pool.query(
    'update gost.user_offer_presets_count set counter = counter + 100 + preset where seller = $1',
    [seller],
  );
  let running = true;
  let written = 0;
  const writer = async (w: number): Promise<void> => {
    const random = seededRandom(w);
    const gost = openTestGost({
      stores: stores(),
      clock: realClock,
      random,
      newName: () => realIds.next(),
      settings: { shards },
    });
    for (let n = 0; running; n++) {
      // Each writer has its own offers, so that writers share only the counts.
      const offerId = sampleOfferId(random.below(250) * WRITERS + w);
      const kind = (['hide', 'activate', 'remove'] as const)[random.below(20) === 0 ? 2 : random.below(2)]!;
      const verdict = await gost.changeOffer({
        offerId,
        command: { kind, id: commandId(`${w}-${n}`), by: 'seller' },
      });
      if (verdict.isErr()) expect(verdict.error.kind).toBe('NotFound');
      else written++;
      if (n % 5 === 0) (await publish(10_000 + w * 10_000 + n, 1, seller))._unsafeUnwrap();
    }
  };
  const writers = Promise.all(Array.from({ length: WRITERS }, (_, w) => writer(w)));
  const drifts: Record<string, number> = {};
  for (const preset of ['all', 'active', 'inactive'] as const)
    drifts[preset] = (
      await repairCount(base.cabinet, { seller, preset }, preset === 'all' ? 500 : 40)
    )._unsafeUnwrap().drift;
  running = false;
  await writers;
  // When the counts were corrupted no offer was hidden, so that list had no count.
  expect(drifts).toEqual({ all: 101, active: 102, inactive: 0 });
  expect((await base.cabinet.counts(seller))._unsafeUnwrap()).toEqual(await recount(seller));
  expect(written).toBeGreaterThan(WRITERS);
});

test('[G1] [G6] [G11] after callers raced on the same offers through a group commit, versions, counts and totals are exact', async () => {
  const who = 'raced' as SellerId;
  const base = stores();
  (await publish(200_000, 20, who))._unsafeUnwrap();
  const random = seededRandom(7);
  const gost = openTestGost({
    stores: base,
    clock: realClock,
    random,
    newName: () => realIds.next(),
    settings: { shards },
  });
  const applied = new Map<OfferId, number>();
  const caller = async (c: number): Promise<void> => {
    for (let n = 0; n < 12; n++) {
      const offerId = sampleOfferId(200_000 + random.below(20));
      const command = { id: commandId(`${c}/${n}`), by: 'seller' } as const;
      const kind = (['hide', 'activate', 'sell'] as const)[random.below(3)]!;
      const verdict = await gost.changeOffer({
        offerId,
        command: kind === 'sell' ? { ...command, kind, onPlatform: true } : { ...command, kind },
      });
      if (verdict.isOk() && verdict.value.changed) applied.set(offerId, (applied.get(offerId) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, c) => caller(c)));
  const ids = Array.from({ length: 20 }, (_, n) => sampleOfferId(200_000 + n));
  const found = (await base.offers.load(ids))._unsafeUnwrap();
  for (const { id, version } of found) expect(version).toBe(1 + (applied.get(id) ?? 0));
  expect((await base.cabinet.counts(who))._unsafeUnwrap()).toEqual(await recount(who));
  const totals = (await base.cabinet.totals(who))._unsafeUnwrap();
  const sold = found.filter(({ soldOnPlatform }) => soldOnPlatform).length;
  expect(totals).toMatchObject({
    Active: found.filter(({ lifecycle }) => lifecycle === 'active').length,
    Sold: sold,
    MoneyEarned: { RUB: 100_000 * sold },
  });
});

test('[G5] commits that arrive late and out of order are all exported once, in order per offer', async () => {
  const topics = [{ name: OFFER_UPDATES, partitions: 2, retentionMs: 1e9, recordBytesMax: 1e6 }];
  const { logger } = silentTelemetry;
  const log = pgMessageLog({
    url: db.url,
    pool: db.pool,
    clock: realClock,
    ids: realIds,
    random: realRandom,
    logger,
  });
  (await log.ensureTopics(topics))._unsafeUnwrap();
  await db.pool.query('truncate gost.queue');
  const { queue } = stores();
  const stop = new AbortController();
  const { workers } = openTestGost({
    stores: { ...stores(), queue },
    log,
    clock: realClock,
    random: realRandom,
    newName: () => realIds.next(),
    settings: { shards, export: { ...defaultGostSettings.export, batch: 40, idleMs: 2 } },
  });
  const exporting = workers.exportShard(
    { set: 'gost-export', shard: 0, token: 1, isHeld: () => true },
    stop.signal,
    stop.signal,
  );
  // A row gets its time before its transaction sleeps, as in a slow commit: rows appear before records that were read.
  const producer = async (p: number): Promise<void> => {
    const client = await db.pool.connect();
    for (let n = 1, atUs = 0; n <= 30; n++) {
      atUs = Math.max(Date.now() * 1_000, atUs + 1);
      await client.query('begin');
      await client.query(
        `insert into gost.queue (shard, at_us, topic, key, value) values (0, $1, $2, $3, $4)`,
        [atUs, OFFER_UPDATES, `offer-${p}`, Buffer.from(String(n))],
      );
      await pause(realRandom.below(8));
      await client.query('commit');
      await pause(1);
    }
    client.release();
  };
  await Promise.all(Array.from({ length: 8 }, (_, p) => producer(p)));
  await eventually(async () => expect((await queue.read(0, 1))._unsafeUnwrap()).toEqual([]));
  stop.abort('handover');
  await exporting;
  const seen = new Map<string, number[]>();
  for (const partition of [0, 1]) {
    const reader = (await log.read(OFFER_UPDATES, partition, 'earliest'))._unsafeUnwrap();
    for (;;) {
      const records = (await reader.next({ recordsMax: 500 }))._unsafeUnwrap();
      if (records.length === 0) break;
      for (const { key, value } of records)
        seen.set(key, [...(seen.get(key) ?? []), Number(Buffer.from(value).toString())]);
    }
    await reader.close();
  }
  const expected = Array.from({ length: 30 }, (_, n) => n + 1);
  expect(seen.size).toBe(8);
  for (const versions of seen.values()) expect(versions).toEqual(expected);
  // The log refuses the owner of an older lease.
  const late = await log.publish([{ topic: OFFER_UPDATES, key: 'offer-0', value: Buffer.from('1') }], {
    fence: { resource: 'gost-export/0', token: 0, sequence: 9 },
  });
  expect(late._unsafeUnwrapErr().kind).toBe('Fenced');
  await log.close();
});

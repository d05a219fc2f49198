import { afterEach, beforeEach, expect, test } from 'vitest';
import { gostCodecs } from '@doska/adapters-proto';
import { OFFER_UPDATES, type GostStores, type OfferId, type Preset, type SellerId } from '@doska/core/gost';
import { type PresetPlace } from '@doska/core/gost/storage';
import { commandId, openTestGost, publication, repairCount, sampleOfferId } from '@doska/core/gost/testing';
import { realClock, realIds, seededRandom } from '@doska/core/kernel/testing';
import type { YdbClient } from '../driver/client.ts';
import { query } from '../driver/query.ts';
import { openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import type { Fault } from '../testing/stand-in/server/faults.ts';
import { ydbGostStores } from './ydb-gost-stores.ts';

let db: OpenYdb;
let client: YdbClient;
let base: GostStores;
beforeEach(async () => {
  db = await openYdb();
  ({ client } = await openDirectory(db));
  base = stores();
});
afterEach(async () => {
  await client.close();
  await db.close();
});

const seller = 'busy' as SellerId;
const shards = 1;
const stores = () => ydbGostStores({ client, codecs: gostCodecs, clock: realClock });
const gostOver = (over: GostStores, seed: number) =>
  openTestGost({
    stores: over,
    clock: realClock,
    random: seededRandom(seed),
    newName: () => realIds.next(),
    settings: { shards },
  });
const publish = async (from: number, count: number) =>
  (
    await base.offers.commit([
      {
        changes: Array.from({ length: count }, (_, n) =>
          publication(from + n, { seller, nowUs: from + n, shards, lifetimeUs: 1_000_000_000 }),
        ),
      },
    ])
  )._unsafeUnwrap();
const recount = async (): Promise<Record<string, number>> => {
  const found: Record<string, number> = {};
  for (const preset of ['all', 'active', 'inactive', 'banned', 'sold'] as Preset[]) {
    found[preset] = 0;
    for (let after: PresetPlace | undefined; ;) {
      const page = (
        await base.cabinet.page({ seller, preset, limit: 500, ...(after ? { after } : {}) })
      )._unsafeUnwrap();
      found[preset] += page.length;
      after = page.at(-1);
      if (!after) break;
    }
  }
  return found;
};
const SPOIL = query({
  name: 'test/spoil',
  parameters: { seller: 'Utf8' },
  results: [],
  text: 'UPDATE gost_user_offer_presets_count SET counter = counter + 100 WHERE seller = $seller;',
});

test('[G6] a stepwise repair among writers and 600 lines removes an injected drift and refuses no write', async () => {
  const WRITERS = 4;
  for (let from = 0; from < 600; from += 150) await publish(from, 150);
  (await client.write('spoil', (tx) => tx.commit(SPOIL, { seller })))._unsafeUnwrap();
  let running = true;
  let written = 0;
  const writer = async (w: number): Promise<void> => {
    const random = seededRandom(w);
    const gost = gostOver(stores(), w);
    for (let n = 0; running; n++) {
      // Each writer has its own offers, so that writers share only the counts.
      const offerId = sampleOfferId(random.below(100) * WRITERS + w);
      const kind = (['hide', 'activate', 'remove'] as const)[random.below(20) === 0 ? 2 : random.below(2)]!;
      const verdict = await gost.changeOffer({
        offerId,
        command: { kind, id: commandId(`${w}-${n}`), by: 'seller' },
      });
      if (verdict.isErr()) expect(verdict.error.kind).toBe('NotFound');
      else written++;
      if (n % 5 === 0) await publish(10_000 + w * 10_000 + n, 1);
    }
  };
  const writers = Promise.all(Array.from({ length: WRITERS }, (_, w) => writer(w)));
  const repaired = async (preset: Preset, step: number) =>
    (await repairCount(base.cabinet, { seller, preset }, step))._unsafeUnwrap().drift;
  const drifts: Record<string, number> = {};
  try {
    for (const [preset, step] of [
      ['all', 150],
      ['active', 150],
      ['inactive', 40],
    ] as const)
      drifts[preset] = await repaired(preset, step);
  } finally {
    running = false;
    await writers;
  }
  // When the counts were corrupted no offer was hidden, so that list had no count.
  expect(drifts).toEqual({ all: 100, active: 100, inactive: 0 });
  expect((await base.cabinet.counts(seller))._unsafeUnwrap()).toEqual(await recount());
  expect(written).toBeGreaterThan(WRITERS);
});

/** Callers race on the same offers through a group commit; afterwards versions, counts, totals, history and queue must agree. */
const race = async (callers: number, commands: number): Promise<void> => {
  await publish(0, 20);
  const random = seededRandom(7);
  const gost = gostOver(base, 7);
  const applied = new Map<OfferId, number>();
  const caller = async (c: number): Promise<void> => {
    for (let n = 0; n < commands; n++) {
      const offerId = sampleOfferId(random.below(20));
      const command = { id: commandId(`${c}/${n}`), by: 'seller' } as const;
      const kind = (['hide', 'activate', 'sell'] as const)[random.below(3)]!;
      const full = kind === 'sell' ? { ...command, kind, onPlatform: true } : { ...command, kind };
      for (;;) {
        const verdict = await gost.changeOffer({ offerId, command: full });
        // After an unknown outcome the caller repeats the command with the same id.
        if (verdict.isErr() && verdict.error.kind === 'Unavailable') continue;
        if (verdict.isOk() && verdict.value.changed) applied.set(offerId, (applied.get(offerId) ?? 0) + 1);
        break;
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, c) => caller(c)));
  const ids = Array.from({ length: 20 }, (_, n) => sampleOfferId(n));
  const found = (await base.offers.load(ids))._unsafeUnwrap();
  expect(found).toHaveLength(20);
  expect((await base.cabinet.counts(seller))._unsafeUnwrap()).toEqual(await recount());
  const sold = found.filter(({ soldOnPlatform }) => soldOnPlatform).length;
  expect((await base.cabinet.totals(seller))._unsafeUnwrap()).toMatchObject({
    Active: found.filter(({ lifecycle }) => lifecycle === 'active').length,
    Sold: sold,
    MoneyEarned: sold > 0 ? { RUB: 100_000 * sold } : {},
  });
  const queued = (await base.queue.read(0, 1_000))._unsafeUnwrap();
  for (const { id, version } of found) {
    const history = (await base.offers.history(id, { limit: 1_000 }))._unsafeUnwrap();
    expect(history.map((entry) => entry.version)).toEqual(
      Array.from({ length: version }, (_, n) => version - n),
    );
    const told = queued
      .filter(({ key, topic }) => key === id && topic === OFFER_UPDATES)
      .map(({ value }) => gostCodecs.view.decode(value)._unsafeUnwrap().version);
    expect(told).toEqual([...history].reverse().map((entry) => entry.version));
    // `applied` may miss a command whose answer was lost.
    expect(version).toBeGreaterThanOrEqual(1 + (applied.get(id) ?? 0));
  }
};
test('[G1] [G6] [G11] after callers raced on the same offers through a group commit, versions, counts and totals are exact', () =>
  race(8, 10));

test('[G1] [G6] [G11] the same holds while calls are refused, answers are lost and connections break', async () => {
  const { standIn } = db;
  if (!standIn) return; // faults are planned on the stand-in only
  const random = seededRandom(3);
  const faults: readonly Fault[] = [
    { kind: 'refuse', status: 'ABORTED' },
    { kind: 'refuse', status: 'OVERLOADED' },
    { kind: 'refuse', status: 'BAD_SESSION' },
    { kind: 'refuse', status: 'UNAVAILABLE' },
    { kind: 'applyThenRefuse', status: 'UNDETERMINED' },
    { kind: 'applyThenDrop' },
    { kind: 'drop' },
  ];
  for (const fault of faults)
    standIn.faults.add('ExecuteDataQuery', fault, { times: 4, when: () => random.below(25) === 0 });
  await race(6, 12);
});

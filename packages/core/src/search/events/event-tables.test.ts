import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { errAsync } from 'neverthrow';
import type { OfferId } from '../../gost/index.ts';
import { unavailable, type Delivered } from '../../kernel/index.ts';
import { direct, type Io } from '../../kernel/testing.ts';
import { sampleOffer } from '../testing/ctr-stores.contract.ts';
import { ctrOf, NOW_MS, openWorld, searchCodecs, viewOf } from '../testing/search-world.ts';
import { defaultSearchSettings } from '../settings.ts';
import { rateWithPrior } from './click-rate.ts';
import { eventTables } from './event-tables.use-case.ts';
import { defaultEventSettings, HOUR_MS, type SearchEvent, type SearchEvents } from './search-event.ts';

const [a, b, c] = [1, 2, 3].map(sampleOffer).toSorted() as [OfferId, OfferId, OfferId];
/** Full hours make numbers short. */
const START_MS = Math.ceil(NOW_MS / (6 * HOUR_MS)) * 6 * HOUR_MS;
const LATE_MS = 600_000;

const open = () => {
  const away = { isAway: false };
  const io: Io = (op, work) => (away.isAway ? errAsync(unavailable('clicks')) : direct(op, work));
  const world = openWorld({
    settings: {
      events: { ...defaultEventSettings, prior: { rate: 0.1, impressions: 10 } },
      batch: { ...defaultSearchSettings.batch, everyMs: 0 },
    },
    ports: { tables: undefined },
    io,
  });
  const handled = (value: Uint8Array) => {
    const position = { log: 'l', topic: 'search-events', partition: 0, offset: 0 };
    const record: Delivered = { key: 'q', value, headers: {}, timestampMs: 0, position };
    return world.consumeEvents(record, new AbortController().signal);
  };
  const record = (events: SearchEvents) => handled(searchCodecs.events.encode(events));
  let queries = 0;
  /** An answer showed these offers; `clicked` of them were opened. */
  const showed = (shownAtMs: number, ids: readonly OfferId[], clicked: readonly OfferId[] = []) =>
    record({
      queryId: `q${++queries}`,
      shownAtMs,
      events: [
        ...ids.map((offerId): SearchEvent => ({ offerId, kind: 'impression' })),
        ...clicked.map((offerId): SearchEvent => ({ offerId, kind: 'click' })),
      ],
    });
  const at = async (ms: number) => world.time.advance(ms - world.time.nowMs());
  return { ...world, handled, record, showed, at, away };
};

describe('tables of search events', () => {
  test('[S15] the rates of the last seven days become current, with the prior', async () => {
    const { showed, at, run, ports, ctrStatus } = open();
    await at(START_MS - HOUR_MS / 2);
    for (let n = 0; n < 10; n++) await showed(START_MS - HOUR_MS / 2, [a, b], n < 9 ? [a] : []);
    await at(START_MS + LATE_MS);
    expect((await run('search-ctr-load'))._unsafeUnwrap()).toContain(`events-rates-${START_MS} loaded`);
    const { current } = (await ctrStatus())._unsafeUnwrap();
    expect(current).toMatchObject({ table: { name: `events-rates-${START_MS}` }, rows: 2 });
    const rates = await ports().ctr.rates.rates(current!.epochMs, [a, b, c]);
    // (9 + 1) of 20, and (0 + 1) of 20.
    expect(Object.fromEntries(rates._unsafeUnwrap())).toEqual({ [a]: 0.5, [b]: 0.05 });
  });
  test('[S15] the offers of an hour are sent to the index again with their rates', async () => {
    const { showed, at, run, world, bulk } = open();
    for (const id of [a, b]) world.offers.set(id, viewOf(id));
    await at(START_MS - 1);
    await showed(START_MS - 1, [a], [a]);
    await at(START_MS + LATE_MS);
    await run('search-ctr-load');
    await run('search-ctr-resend');
    // (1 + 1) of 11.
    expect(bulk().map((one) => [one.pk, ctrOf(one)])).toEqual([[a, 0.181818]]);
  });
  test('[S15] an hour is waited for before its table is there, and the same table is queued once', async () => {
    const { showed, at, ports } = open();
    await at(START_MS + 5);
    await showed(START_MS + 5, [a]);
    const { clicks, clock } = ports();
    const tables = eventTables({ counts: clicks, clock, settings: defaultEventSettings });
    const names = async () => (await tables.list('hourly'))._unsafeUnwrap().map(({ name }) => name);
    await at(START_MS + HOUR_MS + LATE_MS - 1);
    expect(await names()).toEqual([]);
    await at(START_MS + HOUR_MS + LATE_MS);
    expect(await names()).toEqual([`events-hour-${START_MS / HOUR_MS}`]);
  });
  test('[S15] rates are made again when their time has come, of the window that ends then', async () => {
    const { showed, at, ports } = open();
    const { clicks, clock } = ports();
    const tables = eventTables({ counts: clicks, clock, settings: defaultEventSettings });
    const names = async () => (await tables.list('weekly'))._unsafeUnwrap().map(({ name }) => name);
    expect(await names()).toEqual([]);
    await at(START_MS - 1);
    await showed(START_MS - 1, [a]);
    await at(START_MS + LATE_MS - 1);
    expect(await names()).toEqual([]);
    await at(START_MS + LATE_MS);
    expect(await names()).toEqual([`events-rates-${START_MS}`]);
    await at(START_MS + 6 * HOUR_MS + LATE_MS);
    expect(await names()).toEqual([`events-rates-${START_MS + 6 * HOUR_MS}`]);
    // The hour of the impression is the last of the window, and then no more of it.
    await at(START_MS + (7 * 24 - 6) * HOUR_MS + LATE_MS);
    expect(await names()).toHaveLength(1);
    await at(START_MS + 7 * 24 * HOUR_MS + LATE_MS);
    expect(await names()).toEqual([]);
  });
  test('[S15] a table is read page by page, and one of another name is not there', async () => {
    const { showed, at, ports } = open();
    await at(START_MS);
    await showed(START_MS - 1, [a, b, c]);
    const { clicks, clock } = ports();
    const tables = eventTables({ counts: clicks, clock, settings: defaultEventSettings });
    const table = { name: `events-rates-${START_MS}`, version: 'events', atMs: 0 };
    const first = (await tables.read('weekly', table, '', 2))._unsafeUnwrap();
    expect(first.rows.map(({ line, values }) => [line, values['offer_id']])).toEqual([
      [1, a],
      [2, b],
    ]);
    const second = (await tables.read('weekly', table, first.next!, 2))._unsafeUnwrap();
    expect(second).toMatchObject({ rows: [{ line: 3, values: { offer_id: c } }], next: undefined });
    for (const other of [
      { ...table, name: 'mine' },
      { ...table, version: 'sent' },
    ])
      expect((await tables.read('weekly', other, '', 2))._unsafeUnwrapErr().kind).toBe('TableMoved');
  });
});

test('[S15] a rate is from 0 to 1, between what was seen and the prior', () => {
  const count = fc.nat(10_000);
  const prior = fc.record({ rate: fc.double({ min: 0, max: 1, noNaN: true }), impressions: fc.nat(1_000) });
  fc.assert(
    fc.property(count, count, prior, (impressions, more, given) => {
      const seen = { impressions: impressions + more, clicks: impressions };
      const rate = rateWithPrior(seen, given);
      const own = seen.impressions === 0 ? given.rate : seen.clicks / seen.impressions;
      const low = Math.min(own, given.rate);
      const high = Math.max(own, given.rate);
      if (seen.impressions + given.impressions === 0) expect(rate).toBe(0);
      else {
        expect(rate).toBeGreaterThanOrEqual(low - 1e-6);
        expect(rate).toBeLessThanOrEqual(high + 1e-6);
      }
    }),
    { numRuns: 1_000 },
  );
});

describe('events of the topic', () => {
  const sums = async ({ ports }: ReturnType<typeof open>, fromMs: number) => {
    const from = Math.floor(fromMs / HOUR_MS);
    const found = (await ports().clicks.sums({ from, to: from + 1 }, undefined, 10))._unsafeUnwrap();
    return found.map(({ offerId, impressions, clicks }) => [offerId, impressions, clicks]);
  };
  test('[S15] a record that is delivered twice counts once, and a click counts beside its impression', async () => {
    const world = open();
    const events: SearchEvents = {
      queryId: 'q',
      shownAtMs: NOW_MS,
      events: [
        { offerId: a, kind: 'click' },
        { offerId: a, kind: 'impression' },
        { offerId: b, kind: 'impression' },
      ],
    };
    for (let n = 0; n < 2; n++) expect(await world.record(events)).toEqual({ kind: 'done' });
    expect(await sums(world, NOW_MS)).toEqual([
      [a, 1, 1],
      [b, 1, 0],
    ]);
  });
  test('[S15] events that come when it is forgotten what was counted are not counted', async () => {
    const world = open();
    await world.showed(NOW_MS - 48 * HOUR_MS + 1, [a]);
    await world.showed(NOW_MS - 48 * HOUR_MS, [b]);
    expect(await sums(world, NOW_MS - 48 * HOUR_MS)).toEqual([[a, 1, 0]]);
  });
  test('[S15] a record that can not be read is a dead letter, and one that can not be counted is tried again', async () => {
    const world = open();
    expect(await world.handled(new TextEncoder().encode('{'))).toMatchObject({ kind: 'poison' });
    world.away.isAway = true;
    expect(await world.showed(NOW_MS, [a])).toMatchObject({ kind: 'retry' });
    world.away.isAway = false;
    expect(await world.showed(NOW_MS, [a])).toEqual({ kind: 'done' });
    expect(await sums(world, NOW_MS)).toEqual([[a, 1, 0]]);
  });
  test('[S15] what old answers showed is forgotten, and old counts are deleted when no table needs them', async () => {
    const world = open();
    await world.at(START_MS);
    await world.showed(START_MS, [a], [a]);
    await world.at(START_MS + 48 * HOUR_MS + 1);
    expect((await world.run('search-events-purge'))._unsafeUnwrap()).toBe(
      '1 shown offers forgotten, 0 old counts deleted',
    );
    await world.at(START_MS + (7 * 24 + 13) * HOUR_MS + LATE_MS - 1);
    expect((await world.run('search-events-purge'))._unsafeUnwrap()).toContain('0 old counts deleted');
    await world.at(START_MS + (7 * 24 + 13) * HOUR_MS + LATE_MS);
    expect((await world.run('search-events-purge'))._unsafeUnwrap()).toContain('1 old counts deleted');
  });
});

import { errAsync, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import type { OfferId } from '../../gost/index.ts';
import { unavailable } from '../../kernel/index.ts';
import { direct, type Io } from '../../kernel/testing.ts';
import { sampleOffer } from '../testing/ctr-stores.contract.ts';
import { ctrOf, NOW_MS, openWorld, viewOf } from '../testing/search-world.ts';
import { defaultSearchSettings } from '../settings.ts';
import type { TableRow } from './table-rows.ts';

const [a, b, c, stranger] = [1, 2, 3, 4].map(sampleOffer) as [OfferId, OfferId, OfferId, OfferId];
const HOUR_MS = 3_600_000;
const { graceMs } = defaultSearchSettings.ctr;
const rate = (offerId: string, ctr: number | string): TableRow['values'] => ({ offer_id: offerId, ctr });
const seen = (offerId: string): TableRow['values'] => ({ offer_id: offerId });
const lines = (...rows: readonly TableRow['values'][]): readonly TableRow[] =>
  rows.map((values, at) => ({ line: at + 1, values }));

const open = (options: Parameters<typeof openWorld>[0] = {}) => {
  const all = openWorld({
    ...options,
    settings: {
      ctr: { ...defaultSearchSettings.ctr, sliceRows: 2 },
      batch: { ...defaultSearchSettings.batch, everyMs: 0 },
    },
  });
  for (const id of [a, b, c]) all.world.offers.set(id, viewOf(id));
  let version = 0;
  return {
    ...all,
    weekly: (name: string, rows: readonly TableRow['values'][], cutAfter?: number) =>
      void all.tables.weekly.set(name, {
        rows,
        version: String(++version),
        atMs: all.time.clock.nowMs(),
        ...(cutAfter === undefined ? {} : { cutAfter }),
      }),
    hourly: (name: string, ...ids: readonly string[]) =>
      void all.tables.hourly.set(name, {
        rows: ids.map(seen),
        version: '1',
        atMs: all.time.clock.nowMs(),
      }),
    status: async () => (await all.ctrStatus())._unsafeUnwrap(),
    load: () => all.run('search-ctr-load'),
    resend: () => all.run('search-ctr-resend'),
    purge: () => all.run('search-ctr-purge'),
  };
};
const words = (outcome: Result<string, { readonly reason: string }>): string =>
  outcome.match(
    (text) => text,
    ({ reason }) => reason,
  );

test('[S5] every conversion adds the rate of the current load: an update, the fallback, a resend, a re-index', async () => {
  const world = open();
  world.weekly('w1', [rate(a, 0.25), rate(b, '0.5'), rate(c, 0)]);
  expect(words(await world.load())).toBe('w1 loaded; 0 offers of 0 hourly tables queued');
  await world.deliver(viewOf(a));
  // The update can't be converted, the present offer can.
  await world.deliver(viewOf(b, { category: 'no-such' as never }));
  expect(world.live().map((one) => [one.pk, ctrOf(one)])).toEqual([
    [a, 0.25],
    [b, 0.5],
  ]);
  world.hourly('h1', c);
  await world.load();
  await world.resend();
  await world.reindexOffers({ mode: 'reindex', epoch: undefined, category: undefined, cursor: '' });
  expect(world.bulk().map((one) => [one.pk, ctrOf(one)])).toEqual([
    [c, 0],
    [a, 0.25],
    [b, 0.5],
    [c, 0],
  ]);
});

test('[S5] an offer without a rate is converted without one', async () => {
  const world = open();
  world.weekly('w1', [rate(a, 0.25)]);
  await world.load();
  await world.deliver(viewOf(b));
  expect(world.live().map(ctrOf)).toEqual([undefined]);
});

test('[S5] the rates of a batch are read at once, and anew for each batch', async () => {
  const reads: unknown[] = [];
  const io: Io = (op, work) => {
    if (op.name === 'ctr.rates') reads.push((op.args as { ids: unknown }).ids);
    return direct(op, work);
  };
  const world = open({ io });
  world.weekly('w1', [rate(a, 0.25)]);
  await world.load();
  await world.deliver(viewOf(a), viewOf(b), viewOf(a, { updatedAtUs: 501 }));
  world.weekly('w2', [rate(a, 0.75)]);
  await world.time.advance(1);
  await world.load();
  await world.deliver(viewOf(a));
  expect(reads).toEqual([[a, b], [a]]);
  expect(world.live().map(ctrOf)).toEqual([0.25, undefined, 0.25, 0.75]);
});

test('[S5] a delete does not ask for click rates', async () => {
  const io: Io = (op, work) =>
    op.name.startsWith('ctr') || op.name.startsWith('storage')
      ? errAsync(unavailable(op.name))
      : direct(op, work);
  const world = open({ io });
  expect(await world.deliver(viewOf(a, { status: 'banned' }))).toEqual({ kind: 'done' });
  expect(await world.deliver(viewOf(a))).toMatchObject({ kind: 'blocked' });
});

describe('[S5] nothing becomes current of', () => {
  test.each<[string, readonly TableRow['values'][], number | undefined, string]>([
    [
      'a table cut in the middle',
      [rate(a, 0.1), rate(b, 0.2), rate(c, 0.3)],
      2,
      'line 3: the table breaks off in this line',
    ],
    ['a table without the column ctr', [seen(a), seen(b)], undefined, 'line 1: the column ctr is missing'],
    [
      'a table without the column offer_id',
      [{ ctr: 0.5 }],
      undefined,
      'line 1: the column offer_id is missing',
    ],
    [
      'a negative rate',
      [rate(a, 0.1), rate(b, '-0.1')],
      undefined,
      'line 2: ctr "-0.1" is no number from 0 to 1',
    ],
    ['a rate above 1', [rate(a, 1.5)], undefined, 'line 1: ctr 1.5 is no number from 0 to 1'],
    ['a rate that is no number', [rate(a, 'much')], undefined, 'line 1: ctr "much" is no number from 0 to 1'],
    ['an empty rate', [rate(a, '')], undefined, 'line 1: ctr "" is no number from 0 to 1'],
    ['an id that is no offer', [rate('x', 1)], undefined, 'line 1: offer_id "x" is no id of an offer'],
    [
      'an offer twice in one slice',
      [rate(a, 0.1), rate(a, 0.2)],
      undefined,
      `line 2: offer ${a} stands in the table twice`,
    ],
    [
      'an offer twice in two slices',
      [rate(a, 0.1), rate(b, 0.2), rate(a, 0.3)],
      undefined,
      'line 3: the table has 3 rows, but 2 offers: some stand in it twice',
    ],
    ['an empty table', [], undefined, 'line 1: the table has no rows'],
  ])('%s', async (_, rows, cutAfter, message) => {
    const world = open();
    world.weekly('w1', [rate(a, 0.25)]);
    await world.load();
    await world.time.advance(1);
    world.weekly('w2', rows, cutAfter);
    expect(words(await world.load())).toBe(`table w2, ${message}`);
    const { current, loading, refused } = await world.status();
    expect([current?.table.name, loading, refused?.name]).toEqual(['w1', undefined, 'w2']);
    await world.deliver(viewOf(a));
    expect(world.live().map(ctrOf)).toEqual([0.25]);
    // The same contents are not tried again, new contents are.
    expect(words(await world.load())).toContain('no new rates');
    await world.time.advance(1);
    world.weekly('w2', [rate(a, 0.5)]);
    expect(words(await world.load())).toContain('w2 loaded');
  });
});

describe('a crash', () => {
  /** Fails from the nth request on, as if the process had died. */
  const dyingAt = (nth: number): Io => {
    let requests = 0;
    return (op, work) => (++requests > nth ? errAsync(unavailable('dead')) : direct(op, work));
  };
  test('[S5] between load and switch: the next process makes the load current, and no rate was used before', async () => {
    const whole = open();
    whole.weekly('w1', [rate(a, 0.1), rate(b, 0.2), rate(c, 0.3)]);
    // Every place where the load can break off.
    for (let nth = 0, ended = false; !ended; nth++) {
      const world = open();
      world.weekly('w1', [rate(a, 0.1), rate(b, 0.2), rate(c, 0.3)]);
      ended = (await world.run('search-ctr-load', world.reopen(dyingAt(nth)))).isOk();
      const { current } = await world.status();
      expect(current?.rows).toBe(ended ? 3 : undefined);
      await world.deliver(viewOf(a));
      expect(world.live().map(ctrOf)).toEqual([ended ? 0.1 : undefined]);
      await world.purge();
      await world.load();
      expect((await world.status()).current).toMatchObject({ rows: 3, table: { name: 'w1' } });
      await world.deliver(viewOf(c));
      expect(ctrOf(world.live().at(-1)!)).toBe(0.3);
      expect(nth).toBeLessThan(50);
    }
  });
  test('[S5] between the rows of a slice and its cursor stores the slice twice, and the count is right', async () => {
    const world = open();
    world.weekly('w1', [rate(a, 0.1), rate(b, 0.2), rate(c, 0.3)]);
    let puts = 0;
    const io: Io = (op, work) =>
      op.name === 'storage.put' && ++puts === 2 ? errAsync(unavailable('dead')) : direct(op, work);
    expect((await world.run('search-ctr-load', world.reopen(io))).isErr()).toBe(true);
    expect((await world.status()).loading).toMatchObject({ rows: 0 });
    expect(words(await world.load())).toContain('w1 loaded');
  });
});

describe('hourly tables', () => {
  test('[S5] a table that comes two hours late is queued, and one that comes twice is queued once', async () => {
    const world = open();
    world.hourly('h13', a);
    world.hourly('h15', b);
    expect(words(await world.load())).toContain('2 offers of 2 hourly tables');
    await world.resend();
    await world.time.advance(2 * HOUR_MS);
    world.hourly('h14', c);
    expect(words(await world.load())).toContain('1 offers of 1 hourly tables');
    expect(words(await world.resend())).toBe('1 offers sent again, 0 unknown, 0 not convertible');
    // The late one is delivered again.
    world.hourly('h14', c);
    expect(words(await world.load())).toContain('0 offers of 0 hourly tables');
    expect(world.bulk().map(({ pk }) => pk)).toEqual(expect.arrayContaining([a, b, c]));
    expect(world.bulk()).toHaveLength(3);
  });
  test('[S5] a loaded table is not loaded again after its name is forgotten', async () => {
    const world = open();
    world.hourly('h1', a);
    await world.load();
    await world.resend();
    await world.time.advance(49 * HOUR_MS);
    expect(words(await world.purge())).toContain('1 table names');
    expect((await world.status()).hourly).toEqual([]);
    expect(words(await world.load())).toContain('0 offers of 0 hourly tables');
  });
  test('[S5] the name of a table is remembered for 48 hours', async () => {
    const world = open();
    world.hourly('h1', a);
    await world.load();
    await world.time.advance(47 * HOUR_MS);
    await world.purge();
    expect((await world.status()).hourly).toMatchObject([{ table: 'h1', offers: 1 }]);
    world.hourly('h1', a, b);
    expect(words(await world.load())).toContain('0 offers of 0 hourly tables');
  });
  test('[S5] nothing of a table with a wrong line is queued, and the next table is', async () => {
    const world = open();
    world.hourly('h1', a, b, 'x');
    world.hourly('h2', c);
    expect(words(await world.load())).toContain('1 offers of 1 hourly tables');
    expect((await world.status()).queued).toBe(1);
  });
});

describe('the queue', () => {
  test('[S5] an offer that the offer store does not know is skipped and counted', async () => {
    const world = open();
    world.hourly('h1', stranger, a);
    await world.load();
    expect(words(await world.resend())).toBe('1 offers sent again, 1 unknown, 0 not convertible');
    expect(world.bulk().map(({ pk }) => pk)).toEqual([a]);
    expect((await world.status()).queued).toBe(0);
  });
  test('[S5] what could not be written stays in the queue', async () => {
    const world = open();
    world.hourly('h1', a);
    await world.load();
    world.world.isLogAway = true;
    expect((await world.resend()).isErr()).toBe(true);
    expect((await world.status()).queued).toBe(1);
    world.world.isLogAway = false;
    await world.resend();
    expect(world.bulk().map(({ pk }) => pk)).toEqual([a]);
  });
  test('[S5] an offer that can not be converted stays, and those behind it are sent', async () => {
    const world = open();
    world.world.offers.set(a, viewOf(a, { category: 'no-such' as never }));
    world.hourly('h1', a, b, c);
    await world.load();
    expect(words(await world.resend())).toBe('2 offers sent again, 0 unknown, 1 not convertible');
    expect((await world.status()).queued).toBe(1);
    world.world.offers.set(a, viewOf(a));
    expect(words(await world.resend())).toBe('1 offers sent again, 0 unknown, 0 not convertible');
    // One that is never convertible goes with the name of its table.
    world.world.offers.set(b, viewOf(b, { category: 'no-such' as never }));
    world.hourly('h2', b);
    await world.load();
    await world.resend();
    await world.time.advance(49 * HOUR_MS);
    expect(words(await world.purge())).toContain('1 queued offers deleted');
  });
  test('[S5] an offer that a newer table names while it is sent is sent again', async () => {
    let isFirst = true;
    const world: ReturnType<typeof open> = open({
      ports: {
        log: {
          promises: { fences: false, joinsTransactions: false },
          publish: () => {
            if (!isFirst) return okAsync(undefined);
            isFirst = false;
            world.hourly('h2', a);
            return errAsync(unavailable('x')).orElse(() => okAsync(undefined));
          },
        },
      },
    });
    world.hourly('h1', a);
    await world.load();
    await world.resend();
    await world.load();
    expect((await world.status()).queued).toBe(1);
  });
});

describe('rates of other epochs', () => {
  test('[S5] the purge beside a conversion leaves the rates that the conversion reads', async () => {
    const world = open();
    world.weekly('w1', [rate(a, 0.25)]);
    await world.load();
    // Between the reading of the current epoch and of its rates another load becomes current, and the purge runs.
    const io: Io = (op, work) => {
      if (op.name !== 'ctr.rates') return direct(op, work);
      const meanwhile = async (): Promise<void> => {
        await world.time.advance(1);
        world.weekly('w2', [rate(a, 0.75)]);
        await world.load();
        await world.purge();
      };
      return ResultAsync.fromSafePromise(meanwhile()).andThen(() => direct(op, work));
    };
    const other = world.reopen(io);
    const view = viewOf(a);
    await other.scheduleOffers(
      {
        topic: 'gost-offer-updates',
        partition: 3,
        records: [
          {
            key: a,
            value: new TextEncoder().encode(JSON.stringify(view)),
            headers: {},
            timestampMs: 1,
            position: { log: 'l', topic: 'gost-offer-updates', partition: 3, offset: 0 },
          },
        ],
      },
      new AbortController().signal,
    );
    expect(world.live().map(ctrOf)).toEqual([0.25]);
    // The newer rate is sent later, and is the fresher one.
    world.hourly('h1', a);
    await world.load();
    await world.resend();
    expect(world.bulk().map(ctrOf)).toEqual([0.75]);
    expect(world.bulk()[0]!.composedAtMs).toBeGreaterThan(world.live()[0]!.composedAtMs);
  });
  test('[S5] are deleted when no conversion can read them any more', async () => {
    const world = open();
    const epochs = async (): Promise<readonly number[]> => {
      const found: number[] = [];
      for (let after = 0; ;) {
        const next = (await world.ports().ctr.rates.nextEpoch(after))._unsafeUnwrap();
        if (next === undefined) return found;
        found.push((after = next));
      }
    };
    for (const name of ['w1', 'w2', 'w3']) {
      world.weekly(name, [rate(a, 0.25), rate(b, 0.5), rate(c, 0.5)]);
      await world.load();
      await world.time.advance(1);
    }
    expect(await epochs()).toHaveLength(3);
    await world.time.advance(graceMs - 3);
    expect(words(await world.purge())).toContain('0 old rates');
    await world.time.advance(1);
    expect(words(await world.purge())).toContain('3 old rates');
    await world.time.advance(1);
    expect(words(await world.purge())).toContain('3 old rates');
    expect(await epochs()).toEqual([(await world.status()).current!.epochMs]);
    expect((await world.status()).retired).toEqual([]);
  });
  test('[S5] a load on its way and one that begins during the purge are not touched', async () => {
    const world = open();
    world.weekly('w1', [rate(a, 0.25)]);
    await world.load();
    await world.time.advance(1);
    const append = (table: string, rowsBefore: number, isLast: boolean, ...rows: TableRow['values'][]) =>
      world.appendRates({ table, rowsBefore, rows: lines(...rows), isLast });
    expect(await append('sent', 0, false, rate(a, 0.3))).toEqual(ok({ rows: 1 }));
    await world.time.advance(graceMs * 3);
    await world.purge();
    expect(await append('sent', 1, true, rate(b, 0.4))).toEqual(ok({ rows: 2 }));
    expect((await world.status()).current).toMatchObject({ table: { name: 'sent' }, rows: 2 });
  });
  test('[S5] of a load that was given up are deleted after the next switch', async () => {
    const world = open();
    await world.appendRates({ table: 'sent', rowsBefore: 0, rows: lines(rate(a, 0.3)), isLast: false });
    await world.time.advance(defaultSearchSettings.ctr.abandonedMs);
    world.weekly('w1', [rate(b, 0.25)]);
    await world.load();
    expect(words(await world.purge())).toContain('1 old rates');
  });
});

test('[S5] resend, then redelivery of the plain update: the click rate is still there', async () => {
  const world = open();
  await world.deliver(viewOf(a));
  world.weekly('w1', [rate(a, 0.25)]);
  world.hourly('h1', a);
  await world.time.advance(10);
  await world.load();
  await world.resend();
  await world.time.advance(10);
  await world.deliver(viewOf(a));
  const all = [...world.live(), ...world.bulk()].toSorted((x, y) => x.composedAtMs - y.composedAtMs);
  expect(new Set(all.map(({ version }) => version))).toEqual(new Set([500]));
  expect(all.map(ctrOf)).toEqual([undefined, 0.25, 0.25]);
});

test('[S5] a document is never composed before the load that its rate comes from', async () => {
  const world = open();
  world.weekly('w1', [rate(a, 0.25)]);
  await world.load();
  world.weekly('w2', [rate(a, 0.5)]);
  await world.load();
  const { current } = await world.status();
  expect(current!.epochMs).toBeGreaterThan(world.time.clock.nowMs());
  await world.deliver(viewOf(a));
  expect(world.live()[0]!.composedAtMs).toBe(current!.epochMs);
});

test('[S5] a table that a caller sent is used until the source has a newer one', async () => {
  const world = open();
  world.weekly('w1', [rate(a, 0.1)]);
  await world.load();
  await world.time.advance(10);
  await world.appendRates({ table: 'sent', rowsBefore: 0, rows: lines(rate(a, 0.2)), isLast: true });
  const current = async () => (await world.status()).current?.table.name;
  await world.load();
  expect(await current()).toBe('sent');
  world.weekly('w2', [rate(a, 0.3)]);
  await world.load();
  expect(await current()).toBe('w2');
  // Without its newest table the source has an older one: that is no news.
  world.tables.weekly.delete('w2');
  await world.load();
  expect(await current()).toBe('w2');
});

describe('tables that a caller sends', () => {
  const append = (
    world: ReturnType<typeof open>,
    table: string,
    from: number,
    isLast: boolean,
    ...ids: string[]
  ) => world.appendRates({ table, rowsBefore: from, rows: lines(...ids.map((id) => rate(id, 0.5))), isLast });
  test('[S5] become current with their last rows, and an answer that got lost may be asked for again', async () => {
    const world = open();
    expect(await append(world, 't', 0, false, a)).toEqual(ok({ rows: 1 }));
    expect(await append(world, 't', 1, false, b)).toEqual(ok({ rows: 2 }));
    expect(await append(world, 't', 1, false, b)).toEqual(ok({ rows: 2 }));
    expect((await world.status()).current).toBeUndefined();
    expect(await append(world, 't', 2, true, c)).toEqual(ok({ rows: 3 }));
    expect(await append(world, 't', 2, true, c)).toEqual(ok({ rows: 3 }));
    expect((await world.status()).current).toMatchObject({ rows: 3, table: { name: 't' } });
  });
  test('[S5] are refused while another table is loaded, and if rows are missing', async () => {
    const world = open();
    await append(world, 't', 0, false, a);
    expect((await append(world, 'other', 0, true, a))._unsafeUnwrapErr()).toEqual({
      kind: 'LoadBusy',
      table: 't',
    });
    expect((await append(world, 't', 5, true, a))._unsafeUnwrapErr()).toEqual({
      kind: 'LoadMoved',
      table: 't',
    });
    expect((await append(world, 'other', 1, true, a))._unsafeUnwrapErr()).toMatchObject({
      kind: 'LoadMoved',
    });
    expect((await append(world, 't', 1, true, a))._unsafeUnwrapErr()).toMatchObject({
      kind: 'BadTable',
      line: 2,
    });
    expect((await world.status()).current).toBeUndefined();
  });
  test('[S5] name offers that were seen', async () => {
    const world = open();
    const hourly = (rowsBefore: number, isLast: boolean, ...ids: string[]) =>
      world.appendHourly({ table: 'h', rowsBefore, rows: lines(...ids.map(seen)), isLast });
    expect(await hourly(0, false, a)).toEqual(ok({ rows: 1 }));
    expect(await hourly(1, true, b)).toEqual(ok({ rows: 2 }));
    expect(await hourly(0, true, c)).toEqual(ok({ rows: 1 }));
    expect((await hourly(0, true, 'x'))._unsafeUnwrapErr()).toMatchObject({ kind: 'BadTable', line: 1 });
    expect(await world.status()).toMatchObject({
      queued: 2,
      hourly: [{ table: 'h', offers: 2, loadedAtMs: NOW_MS }],
    });
  });
});

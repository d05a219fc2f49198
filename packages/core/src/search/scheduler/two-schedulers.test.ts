import { expect, test } from 'vitest';
import type { OfferId, OfferView } from '../../gost/index.ts';
import { manualClock } from '../../kernel/testing.ts';
import type { RawDocument } from '../../vasgen/index.ts';
import { openSearchScheduler, type SearchScheduler } from '../open-search-scheduler.ts';
import { defaultSearchSettings } from '../settings.ts';
import { sampleOffer } from '../testing/ctr-stores.contract.ts';
import { ctrOf, NOW_MS, openWorld, viewOf } from '../testing/search-world.ts';

const id: OfferId = sampleOffer(1);
/** The most that a document may be composed ahead of the clock of the receiver. */
const AHEAD_MS = 240_000;

/** The document of the offer that the index keeps, whatever the order in which both schedulers write. */
const winnerOf = (...documents: readonly (readonly RawDocument[])[]): RawDocument =>
  documents
    .flat()
    .toSorted((one, other) => one.version - other.version || one.composedAtMs - other.composedAtMs)
    .at(-1)!;
const valueOf = ({ fields }: RawDocument, wanted: string): unknown =>
  fields.find(({ name }) => name === wanted)?.value;
const scheduler = (aheadMs: number, rates: Readonly<Record<string, number>> = { RUB: 1, USD: 80 }) =>
  openWorld({ settings: { rates }, ports: { clock: manualClock(NOW_MS + aheadMs).clock } });
const reindexed = async (world: ReturnType<typeof openWorld>, view: OfferView): Promise<void> => {
  world.world.offers.set(view.id, view);
  const asked = { mode: 'reindex', epoch: undefined, category: undefined, cursor: '' } as const;
  (await world.reindexOffers(asked))._unsafeUnwrap();
};

test('[S1] [S4] the newest version of an offer wins, however far apart the clocks of two schedulers are', async () => {
  for (const [first, second] of [
    [AHEAD_MS, 0],
    [0, AHEAD_MS],
  ] as const) {
    const before = scheduler(first);
    const after = scheduler(second);
    await before.deliver(viewOf(id, { updatedAtUs: 500, title: 'old' }));
    // The partition moves to the other scheduler, which sees the last record again.
    await after.deliver(
      viewOf(id, { updatedAtUs: 500, title: 'old' }),
      viewOf(id, { updatedAtUs: 501, title: 'new' }),
    );
    expect(winnerOf(before.live(), after.live())).toMatchObject({ version: 501 });
  }
});

test('[S1] a deletion by a scheduler whose clock is behind wins over an older version', async () => {
  const before = scheduler(AHEAD_MS);
  const after = scheduler(0);
  await before.deliver(viewOf(id, { updatedAtUs: 500 }));
  await after.deliver(viewOf(id, { updatedAtUs: 501, status: 'banned' }));
  expect(winnerOf(before.live(), after.live())).toMatchObject({ version: 501, event: 'delete' });
});

/** Another process on the same stores, with its own clock. */
const otherProcess = (world: ReturnType<typeof openWorld>, aheadMs: number): SearchScheduler =>
  openSearchScheduler(
    { ...world.ports(), clock: manualClock(NOW_MS + aheadMs).clock },
    { ...defaultSearchSettings, batch: { ...defaultSearchSettings.batch, everyMs: 0 } },
  );
const SKEWS_MS = [-100_000, 0, 100_000] as const;
const everyThree = SKEWS_MS.flatMap((before) =>
  SKEWS_MS.flatMap((loader) => SKEWS_MS.map((after) => [before, loader, after] as const)),
);
test.each(everyThree)(
  '[S1] [S5] an older click rate never wins: clocks %i ms ahead before the load, %i ms in it, %i ms after it',
  async (...skews) => {
    const world = openWorld();
    const [before, loader, after] = skews.map((skewMs) => otherProcess(world, skewMs)) as [
      SearchScheduler,
      SearchScheduler,
      SearchScheduler,
    ];
    const load = async (name: string, rate: number, atMs: number): Promise<void> => {
      world.tables.weekly.set(name, { rows: [{ offer_id: id, ctr: rate }], version: '1', atMs });
      expect((await world.run('search-ctr-load', loader))._unsafeUnwrap()).toContain(`${name} loaded`);
    };
    const winner = () => winnerOf(world.live(), world.bulk());
    const view = viewOf(id);
    world.world.offers.set(id, view);
    // Before the first load, with the rates of the first one, and with those of the second one.
    await world.deliverTo(before, [view]);
    expect(ctrOf(winner())).toBeUndefined();
    await load('w1', 0.25, 1);
    await world.deliverTo(after, [view]);
    expect(ctrOf(winner())).toBe(0.25);
    await world.deliverTo(before, [view, view, view]);
    await load('w2', 0.75, 2);
    world.tables.hourly.set('h1', { rows: [{ offer_id: id }], version: '1', atMs: NOW_MS });
    await world.run('search-ctr-load', loader);
    await world.run('search-ctr-resend', after);
    expect(world.bulk()).toHaveLength(1);
    expect(ctrOf(winner())).toBe(0.75);
    // The plain update comes once more to each.
    for (const one of [before, after]) {
      await world.deliverTo(one, [view]);
      expect(ctrOf(winner())).toBe(0.75);
    }
  },
);

test('[S5] the clock of one scheduler that is an hour ahead does not bring the others so far ahead that they are refused', async () => {
  const world = openWorld();
  await world.deliverTo(otherProcess(world, 3_600_000), [viewOf(id)]);
  world.tables.weekly.set('w1', { rows: [{ offer_id: id, ctr: 0.25 }], version: '1', atMs: 1 });
  await world.run('search-ctr-load');
  await world.deliver(viewOf(id));
  expect(world.live().at(-1)!.composedAtMs).toBeLessThanOrEqual(NOW_MS + AHEAD_MS);
});

test('[S1] of two schedulers with different rates of currencies the later composition sets the price', async () => {
  const view = viewOf(id, { price: { minorUnits: 10_000, currency: 'USD' } });
  const before = scheduler(0, { RUB: 1 });
  const after = scheduler(1_000, { RUB: 1, USD: 90 });
  await before.deliver(view);
  expect(valueOf(winnerOf(before.live()), 'price')).toBeUndefined();
  await after.deliver(view);
  expect(valueOf(winnerOf(before.live(), after.live()), 'price')).toBe(9_000);
});

test('[S1] [S10] a re-index by a process with the right rates sets every price, as soon as its clock has passed the compositions before', async () => {
  const view = viewOf(id, { price: { minorUnits: 10_000, currency: 'USD' } });
  const wrong = scheduler(AHEAD_MS, { RUB: 1, USD: 1 });
  await wrong.deliver(view);
  const tooSoon = scheduler(0);
  await reindexed(tooSoon, view);
  expect(valueOf(winnerOf(wrong.live(), tooSoon.bulk()), 'price')).toBe(100);
  const right = scheduler(AHEAD_MS + 1);
  await reindexed(right, view);
  expect(valueOf(winnerOf(wrong.live(), right.bulk()), 'price')).toBe(8_000);
});

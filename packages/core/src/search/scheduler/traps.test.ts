import { expect, test } from 'vitest';
import type { AttributeId, CategoryId } from '../../catalog/index.ts';
import type { OfferId, OfferView } from '../../gost/index.ts';
import type { RawDocument } from '../../vasgen/index.ts';
import { defaultSearchSettings } from '../settings.ts';
import { sampleOffer } from '../testing/ctr-stores.contract.ts';
import { sampleCatalog } from '../testing/sample-catalog.ts';
import { openWorld, searchCodecs, viewOf } from '../testing/search-world.ts';

const [a, b, c] = [1, 2, 3].map(sampleOffer) as [OfferId, OfferId, OfferId];
const EVERY_MS = 50;
const open = () => openWorld({ settings: { batch: { ...defaultSearchSettings.batch, everyMs: EVERY_MS } } });
const broken = (id: OfferId, more: Partial<OfferView> = {}): OfferView =>
  viewOf(id, { category: 'no-such' as CategoryId, ...more });

/** The document of an offer that the index has at the end. */
const winnerOf = (documents: readonly RawDocument[], pk: string): RawDocument | undefined =>
  documents
    .filter((one) => one.pk === pk)
    .toSorted((x, y) => x.version - y.version || x.composedAtMs - y.composedAtMs)
    .at(-1);

test('[S4] a fallback that overtakes later updates of its offer ends with the newest state', async () => {
  const { deliver, world, live, time } = open();
  // The offer store has the third version already; the topic still brings the first and the second.
  world.offers.set(a, viewOf(a, { updatedAtUs: 30, title: 'third' }));
  const delivered = deliver(
    broken(a, { updatedAtUs: 10 }),
    viewOf(a, { updatedAtUs: 20, title: 'second' }),
    viewOf(a, { updatedAtUs: 30, title: 'third' }),
  );
  await time.advance(EVERY_MS);
  expect(await delivered).toEqual({ kind: 'done' });
  expect(live().map(({ version }) => version)).toEqual([30, 20, 30]);
  expect(winnerOf(live(), a)?.fields).toContainEqual(
    expect.objectContaining({ name: 'title', value: 'third' }),
  );
});

test('[S4] an offer that always fails stops its own partition; what was batched before it leaves after the time of a batch', async () => {
  const { scheduleOffers, world, live, time } = open();
  world.offers.set(a, broken(a));
  const deliver = (partition: number, ...views: readonly OfferView[]) =>
    scheduleOffers(
      {
        topic: 'gost-offer-updates',
        partition,
        records: views.map((view, offset) => ({
          key: view.id,
          value: searchCodecs.view.encode(view),
          headers: {},
          timestampMs: time.nowMs(),
          position: { log: 'l', topic: 'gost-offer-updates', partition, offset },
        })),
      },
      new AbortController().signal,
    );
  // A first write, so that the time of the next batch begins.
  await deliver(0, viewOf(c));
  const before = live().length;
  const failing = deliver(0, viewOf(b, { updatedAtUs: 7 }), broken(a), viewOf(b, { updatedAtUs: 8 }));
  await time.advance(EVERY_MS - 1);
  expect(live()).toHaveLength(before);
  await time.advance(1);
  expect(await failing).toMatchObject({ kind: 'blocked', handled: 1 });
  expect(live().at(-1)).toMatchObject({ pk: b, version: 7 });
  for (let n = 0; n < 3; n++) {
    expect(await deliver(0, broken(a), viewOf(b, { updatedAtUs: 8 }))).toMatchObject({
      kind: 'blocked',
      handled: 0,
    });
    expect(await deliver(1, viewOf(c, { updatedAtUs: 600 + n }))).toEqual({ kind: 'done' });
    await time.advance(60_000);
  }
  expect(winnerOf(live(), b)?.version).toBe(7);
  expect(winnerOf(live(), c)?.version).toBe(602);
});

test('[S1] [S7] an attribute called price does not get into the way of the price', async () => {
  const { deliver, live } = open();
  await deliver(
    viewOf(a, {
      category: 'phones' as CategoryId,
      price: { minorUnits: 500, currency: 'RUB' },
      attributes: [{ attribute: 'price' as AttributeId, values: [9] }],
    }),
  );
  const { fields } = live()[0]!;
  expect(fields.filter(({ name }) => name.endsWith('price')).map(({ name, value }) => [name, value])).toEqual(
    [
      ['price', 5],
      ['attr.price', 9],
    ],
  );
});

test('[S4] an update without a category, or with one that is gone, is converted from the offer store', async () => {
  const { deliver, world, live, time } = open();
  world.offers.set(a, viewOf(a, { updatedAtUs: 501 }));
  const delivered = deliver(viewOf(a, { category: '' as CategoryId }), broken(a));
  await time.advance(EVERY_MS);
  expect(await delivered).toEqual({ kind: 'done' });
  expect(live().map(({ version }) => version)).toEqual([501, 501]);
});

test('[S2] [S4] while the offer store is away for a minute the partition waits; then it goes on by itself and nothing is lost', async () => {
  const { deliver, world, live, time } = open();
  const updates = [viewOf(b, { updatedAtUs: 7 }), broken(a), viewOf(b, { updatedAtUs: 8 })];
  world.offers.set(a, viewOf(a, { updatedAtUs: 501 }));
  world.isStoreAway = true;
  let handled = 0;
  const goOn = async (): Promise<string> => {
    const delivered = deliver(...updates.slice(handled));
    await time.advance(EVERY_MS);
    const outcome = await delivered;
    if (outcome.kind === 'blocked') handled += outcome.handled ?? 0;
    return outcome.kind;
  };
  for (const startedMs = time.nowMs(); time.nowMs() < startedMs + 60_000; await time.advance(5_000))
    expect(await goOn()).toBe('blocked');
  expect(handled).toBe(1);
  world.isStoreAway = false;
  expect(await goOn()).toBe('done');
  expect(live().map(({ pk, version }) => [pk, version])).toEqual([
    [b, 7],
    [a, 501],
    [b, 8],
  ]);
});

test('[S2] [S4] while the catalogue is away for a minute an offer that needs a newer one waits, and is sent whole afterwards', async () => {
  const { deliver, world, live, time } = open();
  const newer = viewOf(a, { catalogVersion: 4 });
  world.offers.set(a, newer);
  for (const startedMs = time.nowMs(); time.nowMs() < startedMs + 60_000; await time.advance(5_000))
    expect(await deliver(newer)).toMatchObject({ kind: 'blocked', handled: 0 });
  expect(live()).toEqual([]);
  world.catalog = sampleCatalog(4);
  expect(await deliver(newer)).toEqual({ kind: 'done' });
  expect(live()).toMatchObject([{ pk: a, version: 500 }]);
});

test('[S1] a banned offer with a category that is gone leaves every epoch', async () => {
  const { deliver, world, live } = open();
  world.epochs = [1, 2];
  expect(await deliver(broken(a, { status: 'banned', updatedAtUs: 9 }))).toEqual({ kind: 'done' });
  expect(live()).toMatchObject([
    { event: 'delete', epoch: 1, version: 9 },
    { event: 'delete', epoch: 2, version: 9 },
  ]);
});

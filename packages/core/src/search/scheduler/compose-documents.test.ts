import { err, errAsync, ok, okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import type { AttributeId, CategoryId } from '../../catalog/index.ts';
import type { OfferId, OfferView } from '../../gost/index.ts';
import { unavailable } from '../../kernel/index.ts';
import { manualClock, recordingTelemetry } from '../../kernel/testing.ts';
import { sampleCatalog } from '../testing/sample-catalog.ts';
import { NOW_MS, viewOf } from '../testing/search-world.ts';
import { makeComposeDocuments } from './compose-documents.use-case.ts';

const ID = '6XDR0DYBAT8C3' as OfferId;
const view = (more: Partial<OfferView> = {}): OfferView => viewOf(ID, more);
type World = {
  isUnloaded?: boolean;
  isIndexingAway?: boolean;
  areRatesAway?: number;
  /** Documents with these rates are composed no later. */
  untilMs?: number;
};
const open = (world: World = {}) => {
  const { telemetry, counts } = recordingTelemetry();
  const asked: string[] = [];
  const epochs = () =>
    world.isIndexingAway
      ? err(unavailable('indexing'))
      : ok([{ epoch: 1, state: 'serving' as const, schema: { number: 0, fields: {} } }]);
  const catalog = () =>
    world.isUnloaded
      ? err({ kind: 'CatalogNotLoaded' as const })
      : ok({ catalog: sampleCatalog(3), ageMs: 0 });
  const compose = makeComposeDocuments({
    catalog: { copy: catalog, atLeast: async () => catalog() },
    epochs: { living: async () => epochs(), declared: async () => epochs(), forget: () => {} },
    clickRates: {
      of: (ids) => {
        asked.push(ids.join());
        if (world.areRatesAway) {
          world.areRatesAway -= 1;
          return errAsync(unavailable('rates'));
        }
        return okAsync({
          fromMs: 0,
          untilMs: world.untilMs ?? Infinity,
          rates: new Map(ids.map((id) => [id, 0.5])),
        });
      },
    },
    cards: { encode: () => new Uint8Array(), decode: () => err({ kind: 'Malformed', what: 'card' }) },
    rates: { RUB: 1 },
    clock: manualClock(NOW_MS).clock,
    telemetry,
  });
  return { batch: compose.batch([ID]), counts, asked };
};
const attribute = (id: string, value: string) => ({ attribute: id as AttributeId, values: [value] });

test('[S1] what a document leaves out is counted by reason, and nothing else is', async () => {
  const whole = open();
  await whole.batch.ofView(view({ price: { minorUnits: 100, currency: 'RUB' } }));
  expect([...whole.counts]).toEqual([]);
  const { batch, counts } = open();
  await batch.ofView(
    view({
      price: { minorUnits: 100, currency: 'USD' },
      attributes: [attribute('nothing', 'a'), attribute('old', 'a')],
    }),
  );
  expect([...counts]).toEqual([
    ['doska_search_left_out_total attributes', 2],
    ['doska_search_left_out_total prices', 1],
  ]);
});

test.each<[string, World, Partial<OfferView>, object]>([
  [
    'a catalogue that is not loaded',
    { isUnloaded: true },
    {},
    { lasting: false, reason: 'no catalogue is loaded' },
  ],
  [
    'a catalogue that is older than the offer',
    {},
    { catalogVersion: 4 },
    { lasting: false, reason: 'the offer needs catalogue version 4, the newest copy is 3' },
  ],
  [
    'a category that is gone',
    {},
    { category: 'ships' as CategoryId },
    { lasting: true, reason: 'the catalogue has no category ships' },
  ],
  ['indexing that is away', { isIndexingAway: true }, {}, { kind: 'Unavailable' }],
  ['click rates that are away', { areRatesAway: 1 }, {}, { kind: 'Unavailable' }],
])('[S1] [S3] %s is said and no document is made', async (_, world, more, error) => {
  expect((await open(world).batch.ofView(view(more)))._unsafeUnwrapErr()).toMatchObject(error);
});

test('[S1] a deletion waits for indexing and asks neither catalogue nor click rates', async () => {
  const away = open({ isIndexingAway: true });
  expect((await away.batch.ofMissing(ID, 5))._unsafeUnwrapErr().kind).toBe('Unavailable');
  const { batch, asked } = open({ isUnloaded: true, areRatesAway: 9 });
  const [deleted] = (await batch.ofView(view({ status: 'removed' })))._unsafeUnwrap();
  expect(deleted).toMatchObject({ event: 'delete', version: 500, composedAtMs: NOW_MS });
  const [missing] = (await batch.ofMissing(ID, 5))._unsafeUnwrap();
  expect(missing).toMatchObject({ event: 'delete', version: 5, composedAtMs: NOW_MS + 1 });
  expect(asked).toEqual([]);
});

test('[S5] the click rates of a batch are read once, and again after a failed reading', async () => {
  const { batch, asked } = open({ areRatesAway: 1 });
  expect((await batch.ofView(view())).isErr()).toBe(true);
  for (const updatedAtUs of [501, 502]) expect((await batch.ofView(view({ updatedAtUs }))).isOk()).toBe(true);
  expect(asked).toHaveLength(2);
});

test('[S5] no document is composed later than its click rates may be used', async () => {
  const { batch } = open({ untilMs: NOW_MS + 1 });
  for (const composedAtMs of [NOW_MS, NOW_MS + 1])
    expect((await batch.ofView(view()))._unsafeUnwrap()).toMatchObject([{ composedAtMs }]);
  expect((await batch.ofView(view()))._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable' });
});

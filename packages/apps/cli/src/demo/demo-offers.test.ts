import { loadCatalogFiles } from '@doska/adapters-files';
import { DEMO_DIR } from '@doska/app-catalog-api';
import { catalogOf } from '@doska/core/catalog';
import { beforeAll, expect, test } from 'vitest';
import { demoOffer, leafCategories } from './demo-offers.ts';
import { demoRate } from './demo-rates.ts';

let catalog: ReturnType<typeof catalogOf>;
beforeAll(async () => {
  catalog = catalogOf(1, (await loadCatalogFiles(DEMO_DIR))._unsafeUnwrap());
});

test('[C6] the same seed makes the same offers, another one makes others', () => {
  expect(demoOffer(catalog, 1, 'a', 0)).toEqual(demoOffer(catalog, 1, 'a', 0));
  const others = [
    demoOffer(catalog, 2, 'a', 0),
    demoOffer(catalog, 1, 'b', 0),
    demoOffer(catalog, 1, 'a', 1),
  ];
  for (const other of others) expect(other).not.toEqual(demoOffer(catalog, 1, 'a', 0));
});
test('[C6] offers stand in categories without children and have every required attribute', () => {
  const leaves = new Set<string>(leafCategories(catalog).map(({ id }) => id));
  for (let n = 0; n < 500; n++) {
    const { categoryId, attributes, title } = demoOffer(catalog, 1, 's', n);
    expect(leaves.has(categoryId)).toBe(true);
    expect(title.length).toBeGreaterThan(2);
    for (const { attribute, required } of catalog.effectiveAttributes(categoryId as never))
      if (required) expect(attributes.map(({ attributeId }) => attributeId)).toContain(attribute.id);
  }
});
test('[C6] about a tenth of the offers has pictures', () => {
  const offers = Array.from({ length: 1_000 }, (_, n) => demoOffer(catalog, 1, 'a', n));
  const counts = offers.map(({ photos }) => photos.length);
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(60);
  expect(counts.filter((count) => count > 0).length).toBeLessThan(150);
  expect(new Set(counts)).toEqual(new Set([0, 1, 2, 3]));
  for (const { photos } of offers) expect(new Set(photos).size).toBe(photos.length);
});
test('[C6] some offers have a click rate from 0 to 1, the same each time, and few have a high one', () => {
  const rates = Array.from({ length: 1_000 }, (_, n) => demoRate(1, `offer-${n}`));
  expect(rates).toEqual(Array.from({ length: 1_000 }, (_, n) => demoRate(1, `offer-${n}`)));
  const known = rates.filter((rate) => rate !== undefined);
  expect(known.length).toBeGreaterThan(300);
  expect(known.length).toBeLessThan(500);
  expect(known.filter((rate) => rate <= 0 || rate > 0.31)).toEqual([]);
  expect(known.filter((rate) => rate > 0.1).length).toBeLessThan(known.length / 2);
  expect(demoRate(2, 'offer-1')).not.toBe(demoRate(1, 'offer-1'));
});

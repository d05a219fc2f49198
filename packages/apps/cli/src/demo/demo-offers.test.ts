import { loadCatalogFiles } from '@doska/adapters-files';
import { DEMO_DIR } from '@doska/app-catalog-api';
import { catalogOf } from '@doska/core/catalog';
import { beforeAll, expect, test } from 'vitest';
import { demoOffer, leafCategories } from './demo-offers.ts';

let catalog: ReturnType<typeof catalogOf>;
beforeAll(async () => {
  catalog = catalogOf(1, (await loadCatalogFiles(DEMO_DIR))._unsafeUnwrap());
});

test('the same seed makes the same offers, another one makes others', () => {
  expect(demoOffer(catalog, 1, 'a', 0)).toEqual(demoOffer(catalog, 1, 'a', 0));
  const others = [
    demoOffer(catalog, 2, 'a', 0),
    demoOffer(catalog, 1, 'b', 0),
    demoOffer(catalog, 1, 'a', 1),
  ];
  for (const other of others) expect(other).not.toEqual(demoOffer(catalog, 1, 'a', 0));
});
test('offers stand in categories without children and have every required attribute', () => {
  const leaves = new Set<string>(leafCategories(catalog).map(({ id }) => id));
  for (let n = 0; n < 500; n++) {
    const { categoryId, attributes, title } = demoOffer(catalog, 1, 's', n);
    expect(leaves.has(categoryId)).toBe(true);
    expect(title.length).toBeGreaterThan(2);
    for (const { attribute, required } of catalog.effectiveAttributes(categoryId as never))
      if (required) expect(attributes.map(({ attributeId }) => attributeId)).toContain(attribute.id);
  }
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { catalogOf, STANDARD_FILTERS, type CategoryId } from '../../catalog/index.ts';
import { anyCatalog } from '../../catalog/testing.ts';
import { attributeField } from '../document/offer-fields.ts';
import { sampleCatalog } from '../testing/sample-catalog.ts';
import { offerOf, rawQuery, searchInMemory } from '../testing/search-in-memory.ts';
import { explainFilter, isKnownFilter } from './explain-filter.ts';
import { shownFilters, type FilterNeeds } from './shown-filters.ts';

const needs = (found: Readonly<Record<string, number>>, more: Partial<FilterNeeds> = {}): FilterNeeds => ({
  catalog: sampleCatalog(),
  found: Object.entries(found).map(([id, count]) => ({ id: id as CategoryId, count })),
  requested: undefined,
  used: [],
  coverageMin: 1,
  ...more,
});
const requested = (id: string) => ({ requested: id as CategoryId });

test.each<[string, string, FilterNeeds, boolean, string]>([
  ['of every found category', 'attr.brand', needs({ cars: 1, vans: 1 }), true, 'every found category has it'],
  [
    'of the requested category',
    'attr.brand',
    needs({}, requested('cars')),
    true,
    'nothing was found, and the requested category has it',
  ],
  [
    'of enough offers',
    'attr.year',
    needs({ cars: 9, phones: 1 }, { coverageMin: 0.9 }),
    true,
    'its categories hold 90.0 % of the found offers, which is enough',
  ],
  [
    'in use',
    'attr.brand',
    needs({ phones: 1 }, { used: ['attr.brand'], ...requested('all') }),
    true,
    'the request uses it, and it is valid for the requested category',
  ],
  ['that one category lacks', 'attr.electric', needs({ cars: 1, vans: 1 }), false, 'vans lacks it'],
  [
    'that several categories lack',
    'attr.phone-brand',
    needs({ cars: 1, vans: 1, phones: 1 }),
    false,
    'cars, vans lack it',
  ],
  [
    'that three categories lack',
    'attr.year',
    needs({ cars: 1, phones: 2, job: 3, drivers: 4 }),
    false,
    'drivers, job, phones lack it',
  ],
  [
    'that more than three categories lack',
    'attr.electric',
    needs({ cars: 1, vans: 1, phones: 2, job: 3, drivers: 4 }),
    false,
    'drivers, job, phones and 1 more lack it',
  ],
  ['of the Job branch, for nothing', 'salary', needs({}), false, 'all lacks it'],
  ['with one value', 'attr.only', needs({ cars: 1 }), false, 'it has fewer than two values'],
  ['that is a text', 'attr.vin', needs({ cars: 1 }), false, 'a text is no filter'],
  ['that is not meant for filters', 'attr.secret', needs({ cars: 1 }), false, 'it is not meant for filters'],
  ['that is retired', 'attr.old', needs({ cars: 1 }), false, 'the attribute is retired'],
  [
    'that feeds a standard one',
    'attr.employment-type',
    needs({ drivers: 1 }),
    false,
    'a standard filter shows it',
  ],
  ['that a Job category removes', 'price', needs({ cars: 1, drivers: 1 }), false, 'drivers lacks it'],
  ['of the Job branch', 'salary', needs({ cars: 1, drivers: 1 }), false, 'cars lacks it'],
  ['that is never listed', 'near', needs({ cars: 1 }), false, 'requests may use it, but no answer lists it'],
  [
    'of nothing',
    'attr.brand',
    needs({}),
    false,
    'nothing was found and no category is requested, so no attribute is offered',
  ],
])('[S8] a filter %s: %s', (_, id, asked, shown, reason) => {
  expect(explainFilter(id, asked)).toMatchObject({ shown, reason });
});

test('[S8] an explanation has the coverage and names the found categories that lack the filter', () => {
  expect(explainFilter('attr.year', needs({ cars: 6, phones: 3, vans: 1, newest: 5 }))).toMatchObject({
    shown: false,
    coverage: 0.7,
    coverageMin: 1,
    having: [
      { id: 'cars', count: 6 },
      { id: 'vans', count: 1 },
    ],
    lacking: [{ id: 'phones', count: 3, names: { en: 'phones' } }],
  });
});

test.each<[string, boolean]>([
  ['price', true],
  ['salary', true],
  ['near', true],
  ['seller', true],
  ['attr.brand', true],
  ['attr.nothing', false],
  ['brand', false],
  ['', false],
])('[S8] a request may name filter "%s": %s', (id, known) => {
  expect(isKnownFilter(sampleCatalog(), id)).toBe(known);
});

test('[S8] nothing found: the coverage is that of the requested category', () => {
  expect(explainFilter('attr.brand', needs({}, requested('cars')))).toMatchObject({
    coverage: 1,
    having: [{ id: 'cars', count: 0 }],
  });
  expect(explainFilter('attr.brand', needs({}, requested('phones')))).toMatchObject({
    coverage: 0,
    having: [],
    names: { en: 'brand' },
  });
  expect(explainFilter('attr.brand', needs({}))).toMatchObject({ coverage: 0, having: [], lacking: [] });
  expect(explainFilter('salary', needs({}))).toMatchObject({ coverage: 0, names: { en: 'Salary' } });
});

test('[S8] categories come by their number of offers, equal ones by id', () => {
  const found = { vans: 2, phones: 2, cars: 2, drivers: 3, job: 1 };
  const { having, lacking } = explainFilter('attr.electric', needs(found));
  expect([having, lacking].map((list) => list.map(({ id }) => id))).toEqual([
    ['cars'],
    ['drivers', 'phones', 'vans', 'job'],
  ]);
});

test('[S8] an explanation never contradicts the answer, and its reason fits', () => {
  const some = anyCatalog().chain((content) =>
    fc.record({
      catalog: fc.constant(catalogOf(1, content)),
      found: fc
        .subarray(content.categories.map(({ id }) => id))
        .chain((ids) =>
          fc.tuple(...ids.map((id) => fc.integer({ min: 1, max: 9 }).map((count) => ({ id, count })))),
        ),
      requested: fc.option(fc.constantFrom(...content.categories.map(({ id }) => id)), { nil: undefined }),
      used: fc.subarray([...content.attributes.map(({ id }) => attributeField(id)), 'price', 'salary']),
      coverageMin: fc.constantFrom(1, 0.8, 0.5),
    }),
  );
  fc.assert(
    fc.property(some, (drawn) => {
      const asked: FilterNeeds = drawn;
      const { filters } = shownFilters(asked);
      const ids = [
        ...STANDARD_FILTERS,
        ...drawn.catalog.content.attributes.map(({ id }) => attributeField(id)),
      ];
      for (const id of ids) {
        const told = explainFilter(id, asked);
        expect([id, told.shown]).toEqual([id, filters.some((one) => one.id === id)]);
        const count = (list: readonly { count: number }[]) => list.reduce((sum, one) => sum + one.count, 0);
        const all = count(drawn.found);
        if (all > 0) expect(told.coverage).toBeCloseTo(count(told.having) / all, 9);
        expect(told.reason).not.toBe('');
        // A filter that every found category has is never said to be lacking.
        if (told.lacking.length === 0) expect(told.reason).not.toMatch(/lacks? it$/);
      }
    }),
    { numRuns: 1000 },
  );
});

test('[S8] the filters of a category are told without a search, those of a query with one', async () => {
  const { api } = await searchInMemory([offerOf('a'), offerOf('b', { category: 'vans' as CategoryId })]);
  const filters = (await api.getFilters('cars'))._unsafeUnwrap();
  expect(filters.map(({ id }) => id)).toEqual([
    'price',
    'geo',
    'withPhoto',
    'publishedWithin',
    'sellerType',
    'attr.brand',
    'attr.year',
    'attr.electric',
  ]);
  expect((await api.getFilters(''))._unsafeUnwrap().map(({ id }) => id)).toHaveLength(5);
  expect((await api.getFilters('nothing'))._unsafeUnwrapErr()).toMatchObject({
    violations: [{ path: 'category' }],
  });
  expect((await api.explainFilter(rawQuery(), 'attr.colors'))._unsafeUnwrap()).toMatchObject({
    shown: false,
    coverage: 0.5,
    lacking: [{ id: 'cars' }],
  });
  expect((await api.explainFilter(rawQuery(), 'attr.nothing'))._unsafeUnwrapErr()).toMatchObject({
    violations: [{ path: 'filter_id' }],
  });
});

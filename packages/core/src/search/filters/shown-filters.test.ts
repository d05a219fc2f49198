import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogOf, type CategoryId } from '../../catalog/index.ts';
import { anyCatalog } from '../../catalog/testing.ts';
import { attributeField } from '../document/offer-fields.ts';
import { sampleCatalog } from '../testing/sample-catalog.ts';
import { shownFilters, type FilterNeeds, type FilterSpec } from './shown-filters.ts';

const catalog = sampleCatalog();
const shown = (found: Readonly<Record<string, number>>, more: Partial<FilterNeeds> = {}) =>
  shownFilters({
    catalog,
    found: Object.entries(found).map(([id, count]) => ({ id: id as CategoryId, count })),
    requested: undefined,
    used: [],
    coverageMin: 1,
    ...more,
  });
const ids = (...args: Parameters<typeof shown>) => shown(...args).filters.map(({ id }) => id);
const attributes = (...args: Parameters<typeof shown>) => ids(...args).filter((id) => id.startsWith('attr.'));
const standards = (...args: Parameters<typeof shown>) => ids(...args).filter((id) => !id.startsWith('attr.'));
const filter = (id: string, ...args: Parameters<typeof shown>): FilterSpec | undefined =>
  shown(...args).filters.find((one) => one.id === id);
const DEFAULT = ['price', 'geo', 'withPhoto', 'publishedWithin', 'sellerType'];
const requested = (id: string) => ({ requested: id as CategoryId });

describe('table T4', () => {
  test('[S7] nothing found in a named category: its filters', () => {
    expect(attributes({}, requested('cars'))).toEqual(['attr.brand', 'attr.year', 'attr.electric']);
    expect(standards({}, requested('cars'))).toEqual(DEFAULT);
    expect(standards({}, requested('drivers'))).not.toContain('price');
  });
  test('[S7] nothing found and no category: no attributes, the standard filters of the root', () => {
    expect(attributes({})).toEqual([]);
    expect(standards({})).toEqual(DEFAULT);
  });
  test('[S7] one category: all its filterable attributes and its own standard filters', () => {
    expect(attributes({ vans: 2 })).toEqual(['attr.year', 'attr.colors']);
    expect(standards({ drivers: 1 })).toEqual([
      'geo',
      'withPhoto',
      'publishedWithin',
      'sellerType',
      'salary',
      'employment',
      'schedule',
    ]);
  });
  test('[S7] several categories: attributes of all, values united, ranges as a hull', () => {
    expect(attributes({ cars: 1, vans: 1 })).toEqual(['attr.brand', 'attr.year']);
    expect(filter('attr.brand', { cars: 1, vans: 1 })?.values.map(({ id }) => id)).toEqual([
      'bmw',
      'audi',
      'kia',
    ]);
    expect(filter('attr.year', { cars: 1, vans: 1 })?.range).toEqual({ min: 1900, max: 2030 });
    expect(filter('attr.year', { cars: 1 })?.range).toEqual({ min: 1950, max: 2030 });
  });
  test('[S7] attributes of the same name and another id are not the same', () => {
    expect(attributes({ cars: 1, phones: 1 })).toEqual([]);
  });
  test('[S7] a Job category among others: neither price nor salary is left', () => {
    expect(standards({ cars: 1, drivers: 1 })).toEqual(['geo', 'withPhoto', 'publishedWithin', 'sellerType']);
  });
  test('[S7] an attribute called price does not meet the standard filter', () => {
    expect(ids({ phones: 1 })).toEqual(expect.arrayContaining(['price', 'attr.price']));
  });
  test('[S7] texts, dictionaries with one value, retired attributes and those that are no filters are not offered', () => {
    const { filters, hidden } = shown({ cars: 1 });
    for (const id of ['attr.vin', 'attr.only', 'attr.secret', 'attr.old'])
      expect(filters.map((one) => one.id)).not.toContain(id);
    expect(Object.fromEntries(hidden.map(({ id, reason }) => [id, reason]))).toMatchObject({
      'attr.vin': 'a text is no filter',
      'attr.only': 'it has fewer than two values',
      'attr.secret': 'it is not meant for filters',
    });
  });
  test('[S7] an attribute that feeds a standard filter gives no filter of its own', () => {
    expect(attributes({ drivers: 1 })).toEqual([]);
    expect(attributes({ drivers: 1 }, { used: ['attr.employment-type'] })).toEqual([]);
    expect(filter('employment', { drivers: 1 })).toMatchObject({
      field: 'attr.employment-type',
      values: [{ id: 'full' }, { id: 'part' }],
    });
    const schedule = filter('schedule', { drivers: 1 });
    expect([schedule?.field, schedule?.values.map(({ id }) => id)]).toEqual([
      'attr.work-schedule',
      ['day', 'night'],
    ]);
  });
  test('[S7] a catalogue that was published before attributes said which filter they feed shows employment and schedule', () => {
    const { version, content } = catalog;
    const old = content.attributes.map(({ feeds: _, ...attribute }) => attribute);
    const copy = catalogOf(version, { ...content, attributes: old });
    const now = shown({ drivers: 1 });
    expect(now.filters.map(({ id }) => id)).toContain('employment');
    expect(shown({ drivers: 1 }, { catalog: copy })).toEqual(now);
  });
  test('[S7] a found category that the copy does not know is left out and counted', () => {
    expect(shown({ cars: 1, newest: 5 })).toMatchObject({ unknown: 1 });
    expect(attributes({ cars: 1, newest: 5 })).toEqual(['attr.brand', 'attr.year', 'attr.electric']);
  });
  test('[S7] a filter in use stays while it is valid for the requested category', () => {
    const used = { used: ['attr.brand', 'attr.phone-brand', 'price'] };
    expect(ids({}, { ...used, ...requested('cars') })).toContain('attr.brand');
    expect(ids({ phones: 1, drivers: 1 }, { ...used, ...requested('all') })).toEqual(
      expect.arrayContaining(['price', 'attr.phone-brand']),
    );
    expect(ids({ drivers: 1 }, { used: ['price'], ...requested('job') })).not.toContain('price');
    const years = (category: string) =>
      filter('attr.year', { phones: 1 }, { used: ['attr.year'], ...requested(category) })?.range;
    expect([years('cars'), years('vans')]).toEqual([
      { min: 1950, max: 2030 },
      { min: 1900, max: 2020 },
    ]);
  });
  test('[S8] a coverage below 1 keeps a filter that one stray category lacks, and says how much it covers', () => {
    expect(attributes({ cars: 9, phones: 1 }, { coverageMin: 0.9 })).toEqual([
      'attr.brand',
      'attr.year',
      'attr.electric',
    ]);
    expect(filter('attr.year', { cars: 9, phones: 1 }, { coverageMin: 0.9 })?.coverage).toBe(0.9);
    expect(attributes({ cars: 9, phones: 1 }, { coverageMin: 0.91 })).toEqual([]);
    expect(filter('attr.brand', { cars: 1, vans: 1 })?.coverage).toBe(1);
  });
});

test('[S7] attribute filters are exactly the attributes that every found category has', () => {
  const some = anyCatalog().chain((content) =>
    fc.tuple(
      fc.constant(catalogOf(1, content)),
      fc.subarray(
        content.categories.map(({ id }) => id),
        { minLength: 1 },
      ),
    ),
  );
  fc.assert(
    fc.property(some, ([drawn, categories]) => {
      const each = categories.map((id) => drawn.effectiveAttributes(id));
      const expected = each[0]!
        .filter(({ attribute: { id } }) => each.every((list) => list.some((one) => one.attribute.id === id)))
        .filter(({ attribute: { id, type } }) => {
          const all = each.map((list) => list.find((one) => one.attribute.id === id)!);
          if (!all.every((one) => one.filterable) || type.kind === 'string') return false;
          if (all[0]!.attribute.feeds !== undefined) return false;
          return type.kind !== 'dictionary' || new Set(all.flatMap((one) => one.values)).size >= 2;
        })
        .map(({ attribute: { id } }) => attributeField(id));
      const found = categories.map((id) => ({ id, count: 1 }));
      const { filters } = shownFilters({
        catalog: drawn,
        found,
        requested: undefined,
        used: [],
        coverageMin: 1,
      });
      expect(
        filters
          .map(({ id }) => id)
          .filter((id) => id.startsWith('attr.'))
          .toSorted(),
      ).toEqual(expected.toSorted());
    }),
    { numRuns: 1000 },
  );
});

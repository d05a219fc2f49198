import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCatalog, named } from '../testing/catalog.arbitraries.ts';
import type { AttributeId, ValueId } from './attribute.ts';
import { catalogOf, type Catalog, type CatalogContent } from './catalog.ts';
import type { CategoryId } from './category.ts';
import { checkCatalog } from './check.ts';
import { commonAttributes, commonFilters, nearestCommonAncestor } from './common.ts';
import { catalogLookup } from './lookup.ts';
import { DEFAULT_FILTERS, noOverride } from './standard-filters.ts';

const runs = { numRuns: 1_000 };
/** By the book, one level at a time, from the content alone. */
const bruteAttributes = ({ categories, attributes }: CatalogContent, id: CategoryId) => {
  const path = [];
  for (
    let at = categories.find((category) => category.id === id);
    at;
    at = categories.find((category) => category.id === at.parent)
  )
    path.unshift(at);
  const result = new Map<
    AttributeId,
    {
      required: boolean;
      values: ValueId[];
      min: number | undefined;
      max: number | undefined;
      multiple: boolean;
      filterable: boolean;
    }
  >();
  for (const category of path) {
    for (const use of category.attributes) {
      const { type, ...definition } = attributes.find((attribute) => attribute.id === use.attribute)!;
      const before = result.get(use.attribute) ?? {
        required: false,
        multiple: definition.multiple,
        filterable: definition.filterable,
        values: type.kind === 'dictionary' ? type.values.map((value) => value.id) : [],
        min: type.kind === 'number' ? type.range.min : undefined,
        max: type.kind === 'number' ? type.range.max : undefined,
      };
      result.set(use.attribute, {
        required: use.required ?? before.required,
        multiple: use.multiple ?? before.multiple,
        filterable: use.filterable ?? before.filterable,
        values: before.values.filter((value) => !use.values || use.values.includes(value)),
        min: use.min ?? before.min,
        max: use.max ?? before.max,
      });
    }
  }
  return result;
};
const asPlain = (catalog: Catalog, id: CategoryId) =>
  new Map(
    catalog
      .effectiveAttributes(id)
      .map(({ attribute, required, multiple, filterable, values, range }) => [
        attribute.id,
        { required, multiple, filterable, values: [...values], ...range },
      ]),
  );
const idsOf = (content: CatalogContent): CategoryId[] => content.categories.map(({ id }) => id);

describe('laws of the tree', () => {
  test('[C1] a drawn catalogue is right', () => {
    fc.assert(
      fc.property(anyCatalog(), (content) => {
        expect(checkCatalog(content).isOk()).toBe(true);
      }),
      runs,
    );
  });
  test('[C1] effective attributes equal folding the ancestors', () => {
    fc.assert(
      fc.property(anyCatalog(), (content) => {
        const catalog = catalogOf(1, content);
        for (const id of idsOf(content)) expect(asPlain(catalog, id)).toEqual(bruteAttributes(content, id));
      }),
      runs,
    );
  });
  test('[C1] what a child allows its parent allows', () => {
    fc.assert(
      fc.property(anyCatalog(), (content) => {
        const catalog = catalogOf(1, content);
        for (const { id, parent } of content.categories) {
          if (parent === undefined) continue;
          for (const above of catalog.effectiveAttributes(parent)) {
            const here = catalog
              .effectiveAttributes(id)
              .find(({ attribute }) => attribute.id === above.attribute.id)!;
            expect(here.values.every((value) => above.values.includes(value))).toBe(true);
            expect((here.range.min ?? -Infinity) >= (above.range.min ?? -Infinity)).toBe(true);
            expect((here.range.max ?? Infinity) <= (above.range.max ?? Infinity)).toBe(true);
            expect(here.required || !above.required).toBe(true);
          }
        }
      }),
      runs,
    );
  });
  test('[C1] the path leads from the root to the category, and children are its reverse', () => {
    fc.assert(
      fc.property(anyCatalog(), (content) => {
        const catalog = catalogOf(1, content);
        for (const id of idsOf(content)) {
          const path = catalog.path(id);
          expect(path[0]).toBe(catalog.root);
          expect(path.at(-1)!.id).toBe(id);
          path.slice(1).forEach((category, i) => expect(catalog.children(path[i]!.id)).toContain(category));
        }
      }),
      runs,
    );
  });
  test('[C1] what categories have in common equals a search by hand', () => {
    const some = anyCatalog().chain((content) =>
      fc.tuple(fc.constant(content), fc.subarray(idsOf(content), { minLength: 1 })),
    );
    fc.assert(
      fc.property(some, ([content, ids]) => {
        const catalog = catalogOf(1, content);
        const each = ids.map((id) => bruteAttributes(content, id));
        const shared = [...each[0]!.keys()].filter((attribute) => each.every((one) => one.has(attribute)));
        const common = commonAttributes(catalog, ids);
        expect(common.map(({ attribute }) => attribute.id)).toEqual(shared);
        for (const { attribute, values, required, range } of common) {
          const all = each.map((one) => one.get(attribute.id)!);
          expect(new Set(values)).toEqual(new Set(all.flatMap((one) => one.values)));
          expect(required).toBe(all.every((one) => one.required));
          for (const number of [-20, 0, 3, 7, 30]) {
            const inside = (min: number | undefined, max: number | undefined) =>
              number >= (min ?? -Infinity) && number <= (max ?? Infinity);
            if (attribute.type.kind === 'number' && all.some((one) => inside(one.min, one.max)))
              expect(inside(range.min, range.max)).toBe(true);
          }
        }
        const filters = ids.map((id) => catalog.standardFilters(id));
        expect(commonFilters(catalog, ids)).toEqual(
          filters[0]!.filter((filter) => filters.every((list) => list.includes(filter))),
        );
        const ancestor = nearestCommonAncestor(catalog, ids).id;
        const above = (id: CategoryId) => catalog.path(id).map((category) => category.id);
        expect(ids.every((id) => above(id).includes(ancestor))).toBe(true);
        expect(
          catalog.children(ancestor).some((child) => ids.every((id) => above(id).includes(child.id))),
        ).toBe(false);
      }),
      runs,
    );
  });
});

const sample: CatalogContent = {
  attributes: [
    {
      id: 'brand' as AttributeId,
      names: named('Brand', 'Марка'),
      multiple: false,
      filterable: true,
      retired: false,
      type: {
        kind: 'dictionary',
        values: [
          {
            id: 'toyota' as ValueId,
            names: { ru: 'Тойота', en: 'Toyota', synonyms: { ru: ['тоёта'], en: ['toyta'] } },
            retired: false,
          },
          {
            id: 'lada' as ValueId,
            names: { ru: 'Лада', en: 'Lada', synonyms: { ru: ['ВАЗ', 'Жигули'], en: ['VAZ'] } },
            retired: false,
          },
          { id: 'saab' as ValueId, names: named('Saab', 'Сааб'), retired: true },
        ],
      },
    },
  ],
  categories: [
    {
      id: 'root' as CategoryId,
      parent: undefined,
      names: named('All', 'Всё'),
      attributes: [],
      filters: noOverride,
      retired: false,
    },
    {
      id: 'transport' as CategoryId,
      parent: 'root' as CategoryId,
      names: named('Transport', 'Транспорт'),
      attributes: [],
      filters: noOverride,
      retired: false,
    },
    {
      id: 'cars' as CategoryId,
      parent: 'transport' as CategoryId,
      names: {
        ru: 'Автомобили',
        en: 'Cars',
        synonyms: { ru: ['Легковые авто', 'машины'], en: ['automobiles'] },
      },
      attributes: [{ attribute: 'brand' as AttributeId, required: true }],
      filters: noOverride,
      retired: false,
    },
    {
      id: 'job' as CategoryId,
      parent: 'root' as CategoryId,
      names: named('Job', 'Работа'),
      attributes: [],
      filters: { remove: ['price'], add: ['salary', 'employment', 'schedule'] },
      retired: false,
    },
    {
      id: 'drivers' as CategoryId,
      parent: 'job' as CategoryId,
      names: named('Drivers', 'Водители'),
      attributes: [],
      filters: noOverride,
      retired: false,
    },
    {
      id: 'carriages' as CategoryId,
      parent: 'root' as CategoryId,
      names: named('Carriages', 'Кареты'),
      attributes: [],
      filters: noOverride,
      retired: true,
    },
  ],
};
const catalog = catalogOf(7, sample);
const cars = 'cars' as CategoryId;

describe('one catalogue', () => {
  test('[C1] standard filters: by default, and below "Job"', () => {
    expect(catalog.standardFilters(cars)).toEqual(DEFAULT_FILTERS);
    expect(catalog.standardFilters('drivers' as CategoryId)).toEqual([
      'geo',
      'withPhoto',
      'publishedWithin',
      'sellerType',
      'salary',
      'employment',
      'schedule',
    ]);
    expect(commonFilters(catalog, [cars, 'drivers' as CategoryId])).toEqual([
      'geo',
      'withPhoto',
      'publishedWithin',
      'sellerType',
    ]);
  });
  test('[C3] a retired category is found by id and not listed', () => {
    expect(catalog.category('carriages' as CategoryId)).toMatchObject({ retired: true });
    expect(catalog.children('root' as CategoryId).map(({ id }) => id)).toEqual(['transport', 'job']);
    expect(catalog.effectiveAttributes(cars)[0]!.values).toEqual(['toyota', 'lada']);
  });
  test('[C1] unknown ids are no crash', () => {
    const unknown = 'nothing' as CategoryId;
    expect([
      catalog.category(unknown),
      catalog.path(unknown),
      catalog.children(unknown),
      catalog.effectiveAttributes(unknown),
      catalog.standardFilters(unknown),
    ]).toEqual([undefined, [], [], [], []]);
  });
});

describe('lookup by name', () => {
  const lookup = catalogLookup(catalog);
  test.each(['Автомобили', 'АВТОМОБИЛИ', ' легковые  авто ', 'automobiles', 'Легковые-авто'])(
    '[C1] a category by %j',
    (name) => {
      expect(lookup.categories(name).map(({ id }) => id)).toEqual([cars]);
    },
  );
  test.each([
    [['Транспорт', 'машины'], [cars]],
    [['All', 'Transport', 'Cars'], [cars]],
    [['Работа', 'машины'], []],
    [['Cars', 'Transport'], []],
    [[], []],
  ])('[C1] a category by the path %j', (names, found) => {
    expect(lookup.categoryByPath(names).map(({ id }) => id)).toEqual(found);
  });
  test('[C1] attributes and values by name and synonym, among what the category has', () => {
    const brand = lookup.attribute(cars, 'марка')!;
    expect(brand.id).toBe('brand');
    expect(lookup.attribute('drivers' as CategoryId, 'марка')).toBeUndefined();
    expect(
      ['тоета', 'VAZ', 'жигули', 'saab', 'bmw'].map((name) => lookup.value(cars, brand, name)?.id),
    ).toEqual(['toyota', 'lada', 'lada', undefined, undefined]);
  });
  test('[C1] every spelling of every live thing is found where it stands', () => {
    fc.assert(
      fc.property(anyCatalog(), (content) => {
        const drawn = catalogOf(1, content);
        const find = catalogLookup(drawn);
        for (const category of content.categories) {
          expect(find.categories(category.names.ru)).toContain(category);
          for (const { attribute, values } of drawn.effectiveAttributes(category.id)) {
            expect(find.attribute(category.id, attribute.names.en)).toBe(attribute);
            if (attribute.type.kind !== 'dictionary') continue;
            for (const value of attribute.type.values)
              expect(find.value(category.id, attribute, value.names.ru)?.id).toBe(
                values.includes(value.id) ? value.id : undefined,
              );
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

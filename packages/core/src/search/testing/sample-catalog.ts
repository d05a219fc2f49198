import {
  catalogOf,
  noOverride,
  type Attribute,
  type AttributeId,
  type AttributeUse,
  type Catalog,
  type Category,
  type CategoryId,
  type FilterOverride,
  type Names,
  type ValueId,
} from '../../catalog/index.ts';

const names = (en: string, ru = en): Names => ({ ru, en, synonyms: { ru: [], en: [] } });
const dictionary = (id: string, values: readonly string[], more: Partial<Attribute> = {}): Attribute => ({
  id: id as AttributeId,
  names: names(id),
  multiple: false,
  filterable: true,
  retired: false,
  type: {
    kind: 'dictionary',
    values: values.map((value) => ({
      id: value as ValueId,
      names: { ru: `${value}-ru`, en: value, synonyms: { ru: [], en: [`${value}-alias`] } },
      retired: false,
    })),
  },
  ...more,
});
const withRetired = (one: Attribute, value: string): Attribute =>
  one.type.kind === 'dictionary'
    ? {
        ...one,
        type: {
          ...one.type,
          values: one.type.values.map((each) => (each.id === value ? { ...each, retired: true } : each)),
        },
      }
    : one;
const attribute = (id: string, type: Attribute['type'], more: Partial<Attribute> = {}): Attribute => ({
  id: id as AttributeId,
  names: names(id),
  multiple: false,
  filterable: true,
  retired: false,
  type,
  ...more,
});
const category = (
  id: string,
  parent: string | undefined,
  attributes: readonly (string | AttributeUse)[] = [],
  filters: FilterOverride = noOverride,
): Category => ({
  id: id as CategoryId,
  parent: parent as CategoryId | undefined,
  names: names(id, `${id}-ru`),
  attributes: attributes.map((use) => (typeof use === 'string' ? { attribute: use as AttributeId } : use)),
  filters,
  retired: false,
});

/** Cars and vans share a brand and a year, phones have a brand of their own id; jobs have special filters. */
export const sampleCatalog = (version = 3): Catalog =>
  catalogOf(version, {
    attributes: [
      dictionary('brand', ['bmw', 'audi', 'kia']),
      attribute('year', { kind: 'number', range: { min: 1900, max: 2030 }, unit: 'year' }),
      attribute('electric', { kind: 'boolean' }),
      attribute('vin', { kind: 'string', lengthMax: 17 }),
      dictionary('phone-brand', ['apple', 'nokia']),
      dictionary('colors', ['red', 'blue'], { multiple: true }),
      dictionary('only', ['one']),
      dictionary('secret', ['a', 'b'], { filterable: false }),
      dictionary('old', ['a', 'b'], { retired: true }),
      dictionary('employment-type', ['full', 'part'], { feeds: 'employment' }),
      withRetired(
        dictionary('work-schedule', ['day', 'night', 'rotation'], { feeds: 'schedule' }),
        'rotation',
      ),
      attribute('price', { kind: 'number', range: { min: 0, max: 10 }, unit: undefined }),
    ],
    categories: [
      category('all', undefined),
      category('transport', 'all', ['brand']),
      category('cars', 'transport', [
        { attribute: 'brand' as AttributeId, values: ['bmw', 'audi'] as ValueId[] },
        { attribute: 'year' as AttributeId, min: 1950 },
        'electric',
        'vin',
        'only',
        'secret',
        'old',
      ]),
      category('vans', 'transport', [
        { attribute: 'brand' as AttributeId, values: ['kia'] as ValueId[] },
        { attribute: 'year' as AttributeId, max: 2020 },
        'colors',
      ]),
      category('phones', 'all', ['phone-brand', 'price', 'colors']),
      category('job', 'all', [], { add: ['salary', 'employment', 'schedule'], remove: ['price'] }),
      category('drivers', 'job', ['employment-type', 'work-schedule']),
    ],
  });

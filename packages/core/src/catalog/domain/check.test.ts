import { describe, expect, test } from 'vitest';
import { named } from '../testing/catalog.arbitraries.ts';
import type { Attribute, AttributeId, AttributeUse, ValueId } from './attribute.ts';
import type { CatalogContent } from './catalog.ts';
import type { Category, CategoryId } from './category.ts';
import { CATALOG_ID_CHARS_MAX, CATALOG_NAME_CHARS_MAX, checkCatalog, DEPTH_MAX } from './check.ts';
import { diffCatalogs } from './diff.ts';
import { noOverride } from './standard-filters.ts';
import { succeed } from './succession.ts';

const category = (id: string, parent?: string, more: Partial<Category> = {}): Category => ({
  id: id as CategoryId,
  parent: parent as CategoryId | undefined,
  names: named(id, `${id}-ру`),
  attributes: [],
  filters: noOverride,
  retired: false,
  ...more,
});
const attribute = (id: string, more: Partial<Attribute> = {}): Attribute => ({
  id: id as AttributeId,
  names: named(id, `${id}-ру`),
  type: { kind: 'boolean' },
  multiple: false,
  filterable: true,
  retired: false,
  ...more,
});
const dictionary = (...ids: readonly string[]): Attribute['type'] => ({
  kind: 'dictionary',
  values: ids.map((id) => ({ id: id as ValueId, names: named(id, `${id}-ру`), retired: false })),
});
const number = (min?: number, max?: number): Attribute['type'] => ({
  kind: 'number',
  range: { min, max },
  unit: 'km',
});
const use = (id: string, more: Partial<AttributeUse> = {}): AttributeUse => ({
  attribute: id as AttributeId,
  ...more,
});
const values = (...ids: readonly string[]) => ids as ValueId[];
const mistakes = (content: CatalogContent): string[] =>
  checkCatalog(content).match(
    () => [],
    ({ mistakes: found }) => found.map(({ code, path }) => `${code} ${path}`),
  );

const color = attribute('color', { type: dictionary('red', 'blue', 'green') });
const mileage = attribute('mileage', { type: number(0, 1_000) });

describe('rules across files', () => {
  test.each<[string, CatalogContent, string[]]>([
    ['no root', { categories: [], attributes: [] }, ['NoRoot categories']],
    [
      'two roots',
      { categories: [category('a'), category('b')], attributes: [] },
      ['SeveralRoots categories/b'],
    ],
    [
      'an unknown parent',
      { categories: [category('root'), category('a', 'none')], attributes: [] },
      ['UnknownParent categories/a/parent'],
    ],
    [
      'a cycle',
      { categories: [category('root'), category('a', 'b'), category('b', 'a')], attributes: [] },
      ['Cycle categories/b/parent'],
    ],
    [
      'its own parent',
      { categories: [category('root'), category('a', 'a')], attributes: [] },
      ['Cycle categories/a/parent'],
    ],
    [
      'a category twice',
      { categories: [category('root'), category('a', 'root'), category('a', 'root')], attributes: [] },
      ['DuplicateId categories/a'],
    ],
    [
      'an attribute twice',
      { categories: [category('root')], attributes: [color, color] },
      ['DuplicateId attributes/color'],
    ],
    [
      'a value twice',
      { categories: [category('root')], attributes: [attribute('x', { type: dictionary('v', 'v') })] },
      ['DuplicateId attributes/x/values/v'],
    ],
    [
      'siblings with one name',
      {
        categories: [
          category('root'),
          category('a', 'root', { names: named('Cars') }),
          category('b', 'root', { names: { ...named('Autos', 'Авто'), synonyms: { ru: [], en: ['CARS'] } } }),
        ],
        attributes: [],
      },
      ['NameClash categories/root/children/b'],
    ],
    [
      'values with one synonym',
      {
        categories: [category('root')],
        attributes: [
          attribute('x', {
            type: {
              kind: 'dictionary',
              values: [
                { id: 'a' as ValueId, names: named('Lada', 'Лада'), retired: false },
                {
                  id: 'b' as ValueId,
                  names: { ...named('VAZ', 'ВАЗ'), synonyms: { ru: ['лада'], en: [] } },
                  retired: false,
                },
              ],
            },
          }),
        ],
      },
      ['NameClash attributes/x/values/b'],
    ],
    [
      'a value without a name',
      {
        categories: [category('root')],
        attributes: [
          attribute('x', {
            type: {
              kind: 'dictionary',
              values: [{ id: 'a' as ValueId, names: named('A', ' '), retired: false }],
            },
          }),
        ],
      },
      ['NameMissing attributes/x/values/a/names/ru'],
    ],
    [
      'a category without a name',
      { categories: [category('root', undefined, { names: named('', 'Всё') })], attributes: [] },
      ['NameMissing categories/root/names/en'],
    ],
    [
      'standard filters that are fed twice, or by no dictionary, or by an attribute that is no filter',
      {
        categories: [category('root')],
        attributes: [
          attribute('a', { type: dictionary('x'), feeds: 'employment' }),
          attribute('b', { type: dictionary('y'), feeds: 'employment' }),
          attribute('c', { feeds: 'schedule', filterable: false }),
          attribute('d', { type: dictionary('z'), feeds: 'employment', retired: true }),
        ],
      },
      ['BadFeed attributes/b/feeds', 'BadFeed attributes/c/feeds', 'BadFeed attributes/c/feeds'],
    ],
    [
      'two attributes of one category with one name, one of them inherited',
      {
        categories: [
          category('root', undefined, { attributes: [use('color')] }),
          category('a', 'root', { attributes: [use('colour')] }),
        ],
        attributes: [color, attribute('colour', { names: named('color', 'Цвет') })],
      },
      ['NameClash categories/a/attributes/colour'],
    ],
    [
      'an attribute that does not exist',
      { categories: [category('root', undefined, { attributes: [use('none')] })], attributes: [] },
      ['UnknownAttribute categories/root/attributes/none'],
    ],
    [
      'an attribute used twice',
      {
        categories: [category('root', undefined, { attributes: [use('color'), use('color')] })],
        attributes: [color],
      },
      ['DuplicateUse categories/root/attributes/color'],
    ],
    [
      'an empty dictionary',
      { categories: [category('root')], attributes: [attribute('x', { type: dictionary() })] },
      ['EmptyDictionary attributes/x'],
    ],
    [
      'a range that holds nothing',
      { categories: [category('root')], attributes: [attribute('x', { type: number(5, 1) })] },
      ['EmptyRange attributes/x'],
    ],
  ])('[C2] %s', (_name, content, found) => {
    expect(mistakes(content)).toEqual(found);
  });
  test.each<[string, Partial<AttributeUse>, string]>([
    [
      'a value that is not inherited',
      { attribute: 'color' as AttributeId, values: values('green') },
      'values',
    ],
    ['no value at all', { attribute: 'color' as AttributeId, values: [] }, 'values'],
    ['several values of what has one', { attribute: 'color' as AttributeId, multiple: true }, 'multiple'],
    [
      'free to leave out what is required above',
      { attribute: 'color' as AttributeId, required: false },
      'required',
    ],
    ['a lower bound below', { attribute: 'mileage' as AttributeId, min: 5 }, 'min'],
    ['an upper bound above', { attribute: 'mileage' as AttributeId, max: 501 }, 'max'],
    ['a range that holds nothing', { attribute: 'mileage' as AttributeId, min: 400, max: 300 }, 'min'],
    ['a range of a dictionary', { attribute: 'color' as AttributeId, min: 1 }, 'min'],
    ['a filter again', { attribute: 'mileage' as AttributeId, filterable: true }, 'filterable'],
  ])('[C2] a narrowing that widens: %s', (_name, narrowing, field) => {
    const above = category('root', undefined, {
      attributes: [
        use('color', { required: true, values: values('red', 'blue') }),
        use('mileage', { min: 10, max: 500, filterable: false }),
      ],
    });
    const below = category('a', 'root', { attributes: [narrowing as AttributeUse] });
    expect(mistakes({ categories: [above, below], attributes: [color, mileage] })).toEqual([
      `Widening categories/a/attributes/${narrowing.attribute}/${field}`,
    ]);
  });
  test('[C2] every mistake is listed, not the first', () => {
    const content = {
      categories: [
        category('root', undefined, { attributes: [use('none')] }),
        category('a', 'lost'),
        category('b', 'root', { names: named('', '') }),
      ],
      attributes: [attribute('x', { type: dictionary() })],
    };
    expect(mistakes(content)).toHaveLength(5);
  });
  test('[C2] more levels than there may be', () => {
    const chain = Array.from({ length: 15 }, (_, i) => category(`c${i}`, i === 0 ? undefined : `c${i - 1}`));
    expect(mistakes({ categories: chain, attributes: [] })).toEqual([
      'TooDeep categories/c13',
      'TooDeep categories/c14',
    ]);
  });
});

describe('one version after another', () => {
  const before: CatalogContent = {
    categories: [
      category('root'),
      category('a', 'root', { attributes: [use('color')] }),
      category('b', 'root'),
    ],
    attributes: [color, mileage],
  };
  test('[C3] what is left out is retired, categories, attributes and values alike', () => {
    const next: CatalogContent = {
      categories: [category('root'), category('b', 'root')],
      attributes: [attribute('color', { type: dictionary('red', 'white') })],
    };
    const { categories, attributes } = succeed(before, next)._unsafeUnwrap();
    expect(categories.map(({ id, retired }) => `${id}${retired ? ' retired' : ''}`)).toEqual([
      'root',
      'b',
      'a retired',
    ]);
    expect(attributes.map(({ id, retired }) => `${id}${retired ? ' retired' : ''}`)).toEqual([
      'color',
      'mileage retired',
    ]);
    expect(
      attributes[0]!.type.kind === 'dictionary' &&
        attributes[0]!.type.values.map(({ id, retired }) => `${id}${retired ? ' retired' : ''}`),
    ).toEqual(['red', 'white', 'blue retired', 'green retired']);
    expect(checkCatalog({ categories, attributes }).isOk()).toBe(true);
    expect(diffCatalogs(before, { categories, attributes })).toEqual([
      { thing: 'category', id: 'a', change: 'retired' },
      { thing: 'attribute', id: 'mileage', change: 'retired' },
      { thing: 'value', id: 'color/white', change: 'added' },
      { thing: 'value', id: 'color/blue', change: 'retired' },
      { thing: 'value', id: 'color/green', change: 'retired' },
    ]);
  });
  test('[C3] what comes back is restored', () => {
    const without = succeed(before, { ...before, categories: [category('root')] })._unsafeUnwrap();
    const again = succeed(without, before)._unsafeUnwrap();
    expect(diffCatalogs(without, again).map(({ id, change }) => `${id} ${change}`)).toEqual([
      'a restored',
      'b restored',
    ]);
  });
  test('[C3] another type of an attribute needs a word', () => {
    const next = {
      ...before,
      attributes: [color, attribute('mileage', { type: { kind: 'string', lengthMax: 9 } })],
    };
    expect(succeed(before, next)._unsafeUnwrapErr()).toEqual({
      kind: 'TypeChanges',
      changes: [{ attribute: 'mileage', from: 'number', to: 'string' }],
    });
    expect(succeed(before, next, { allowTypeChanges: true }).isOk()).toBe(true);
  });
  test('[C3] nothing changed is no change', () => {
    expect(diffCatalogs(before, succeed(before, before)._unsafeUnwrap())).toEqual([]);
  });
});

describe('texts and depth', () => {
  const root = category('root');
  test('[X5] ids of a catalogue are visible, bounded and without control characters', () => {
    const long = 'x'.repeat(CATALOG_ID_CHARS_MAX);
    expect(mistakes({ categories: [root, category(long, 'root')], attributes: [] })).toEqual([]);
    expect(mistakes({ categories: [root, category(`${long}x`, 'root')], attributes: [] })).toEqual([
      `BadId categories/${long}x`,
    ]);
    const nul = attribute('a\0', { names: named('a', 'а') });
    const value = attribute('b', {
      type: { kind: 'dictionary', values: [{ id: '' as ValueId, names: named('c', 'ц'), retired: false }] },
    });
    expect(mistakes({ categories: [root], attributes: [nul, value] })).toEqual([
      'BadId attributes/a\0',
      'BadId attributes/b/values/',
    ]);
  });
  test('[X5] names of a catalogue are bounded', () => {
    const name = 'x'.repeat(CATALOG_NAME_CHARS_MAX);
    expect(mistakes({ categories: [{ ...root, names: named(name, 'я') }], attributes: [] })).toEqual([]);
    expect(mistakes({ categories: [{ ...root, names: named(`${name}x`, 'я') }], attributes: [] })).toEqual([
      'BadName categories/root/names',
    ]);
  });
  test('[X5] a chain of twenty thousand categories is a list of mistakes, not a crash', () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => category(`c${20_000 - i}`, `c${19_999 - i}`));
    const found = mistakes({ categories: [...chain, category('c0')], attributes: [] });
    expect(found).toHaveLength(20_000 - DEPTH_MAX);
    expect(found).toContain('TooDeep categories/c13');
  });
});

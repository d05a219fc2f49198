import { describe, expect, test } from 'vitest';
import {
  catalogOf,
  noOverride,
  type Attribute,
  type AttributeId,
  type CategoryId,
  type Names,
  type ValueId,
} from '../../catalog/index.ts';
import { nearestNames } from './nearest-names.ts';
import { suggestedFix } from './suggested-fix.ts';

const names = (ru: string, en: string, synonyms: readonly string[] = []): Names => ({
  ru,
  en,
  synonyms: { ru: synonyms, en: [] },
});
const attribute = (id: string, given: Names, type: Attribute['type'], retired = false): Attribute => ({
  id: id as AttributeId,
  names: given,
  type,
  multiple: false,
  filterable: true,
  retired,
});
const value = (id: string, given: Names, retired = false) => ({ id: id as ValueId, names: given, retired });
const category = (id: string, parent: string | undefined, given: Names, retired = false) => ({
  id: id as CategoryId,
  parent: parent as CategoryId | undefined,
  names: given,
  attributes: [],
  filters: noOverride,
  retired,
});
const range = { min: undefined, max: undefined };
const catalog = catalogOf(3, {
  categories: [
    category('root', undefined, names('Всё', 'All')),
    category('bicycles', 'root', names('Велосипеды', 'Bicycles', ['Байки'])),
    category('cars', 'root', names('Автомобили', 'Cars')),
    category('strollers', 'root', names('Детские коляски', 'Strollers')),
    category('velomobiles', 'root', names('Веломобили', 'Velomobiles'), true),
  ],
  attributes: [
    attribute('bike-type', names('Тип велосипеда', 'Bike type'), {
      kind: 'dictionary',
      values: [
        value('mountain', names('Горный', 'Mountain')),
        value('city', names('Городской', 'City')),
        value('folding', names('Складной', 'Folding')),
        value('tandem', names('Тандем', 'Tandem'), true),
      ],
    }),
    attribute('mileage', names('Пробег', 'Mileage'), { kind: 'number', range, unit: 'км' }),
    attribute('seats', names('Места', 'Seats'), { kind: 'number', range, unit: undefined }),
    attribute('crashed', names('Битый', 'Crashed'), { kind: 'boolean' }),
    attribute('vin', names('VIN', 'VIN'), { kind: 'string', lengthMax: 17 }),
    attribute('bike-tape', names('Тип велосипедов', 'Bike tape'), { kind: 'boolean' }, true),
  ],
});
const CATEGORY = 'offer/category';
const at = (name: string): string => `offer/attributes/attribute[@name="${name}"]`;
const fix = (code: string, path: string, ...values: readonly string[]): string =>
  suggestedFix({ code, path, values }, catalog);

describe('a suggested fix', () => {
  test.each<[string, string, string, readonly string[], RegExp]>([
    [
      'a misspelled category',
      'category',
      CATEGORY,
      ['Виласипеды'],
      /«Виласипеды» is like Велосипеды \(bicycles\)\.$/,
    ],
    ['a synonym of it', 'category', CATEGORY, ['Байк'], /«Байк» is like Велосипеды \(bicycles\)\.$/],
    [
      'the last step of a path',
      'category',
      CATEGORY,
      ['Дети > Коляски'],
      /«Коляски» is like Детские коляски/,
    ],
    [
      'a category of the offer store',
      'UnknownValue',
      CATEGORY,
      ['carz'],
      /«carz» is like Автомобили \(cars\)\.$/,
    ],
    [
      'several values, the most frequent first',
      'category',
      CATEGORY,
      ['bicycle', 'car'],
      /«bicycle» is like Велосипеды \(bicycles\)\. «car» is like Автомобили \(cars\)\.$/,
    ],
    ['a category that is like none', 'category', CATEGORY, ['Штуковина'], /that only one category has\.$/],
    ['no category at all', 'category', CATEGORY, [], /that only one category has\.$/],
    [
      'a misspelled value',
      'attribute',
      at('Тип велосипеда'),
      ['Горнй'],
      /«Горнй» is like Горный \(mountain\)/,
    ],
    [
      'a value of an attribute by its id',
      'UnknownValue',
      at('bike-type'),
      ['горадской'],
      /is like Городской \(city\)/,
    ],
    [
      'a value that is like none: the values are listed, retired ones are not',
      'attribute',
      at('Bike type'),
      ['Подводный лодочный'],
      /Values of Тип велосипеда: Горный \(mountain\), Городской \(city\), Складной \(folding\)\.$/,
    ],
    ['a field of JSON', 'attribute', 'attributes.bike-type', ['Тандем'], /Values of Тип велосипеда/],
    [
      'a number with a unit',
      'attribute',
      at('Пробег'),
      ['много'],
      /Write a number, alone or with the unit км\.$/,
    ],
    ['a number without one', 'WrongType', at('seats'), ['много'], /Write a number\.$/],
    ['yes or no', 'attribute', at('Битый'), ['возможно'], /Write да or нет \(yes or no\)\.$/],
    ['a text', 'WrongType', at('vin'), ['1'], /at most 17 characters\.$/],
    [
      'a misspelled attribute',
      'attribute',
      at('Тип велика'),
      ['Тип велика'],
      /«Тип велика» is like Тип велосипеда \(bike-type\)\.$/,
    ],
    [
      'an attribute of other categories',
      'attribute',
      at('Пробег'),
      ['Пробег'],
      /Пробег \(mileage\) belongs to other categories/,
    ],
    [
      'an attribute that is like none',
      'attribute',
      at('Zzz'),
      ['Zzz'],
      /from the catalogue of this category\.$/,
    ],
    [
      'an attribute that misses',
      'Missing',
      at('bike-type'),
      [],
      /^Add the attribute Тип велосипеда \(bike-type\)\. Values of Тип велосипеда: Горный/,
    ],
    ['a field that misses', 'Missing', 'offer/contacts', [], /^Add this field\./],
    [
      'another field of a known code',
      'UnknownValue',
      'offer/price/@currency',
      ['рупь'],
      /^Use one of the values that the message names\.$/,
    ],
    ['an unknown code', 'validation', 'offer/title', [], /^Correct offer\/title as the message says\.$/],
    ['no field', 'odd', '', [], /^Correct the offer as the message says\.$/],
  ])('[P12] for %s', (_name, code, path, values, expected) => {
    expect(fix(code, path, ...values)).toMatch(expected);
  });
  test('[P12] without a catalogue is the general advice', () => {
    const group = { code: 'category', path: CATEGORY, values: ['Виласипеды'] };
    expect(suggestedFix(group, undefined)).toMatch(/that only one category has\.$/);
  });
  test('[P12] never names what is retired', () => {
    expect(fix('category', CATEGORY, 'Веломобили')).not.toContain('velomobiles');
    expect(fix('attribute', at('Тип велосипедов'), 'Тип велосипедов')).toContain('(bike-type)');
  });
});

describe('nearest names', () => {
  const things = ['мороз', 'морозы', 'роза', 'жираф'].map((name) => ({ thing: name, spellings: [name] }));
  test.each<[string, number, readonly string[]]>([
    ['мороз', 3, ['мороз', 'морозы']],
    ['мороз', 1, ['мороз']],
    ['МОРОЗ', 1, ['мороз']],
    ['', 3, []],
    ['слон', 3, []],
    ['жираф'.repeat(1_000), 3, ['жираф']],
  ])('[P12] to «%s», at most %i: %j', (text, max, expected) => {
    expect(nearestNames(text, things, max)).toEqual(expected);
  });
});

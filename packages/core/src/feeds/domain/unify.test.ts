import { describe, expect, test } from 'vitest';
import { sampleCatalog } from '../../gost/testing.ts';
import { plainAnalyzer } from '../../vasgen/testing.ts';
import { noDefaults, type FeedDefaults } from './feed.ts';
import { emptyRawOffer, type RawOffer } from './raw-offer.ts';
import { unify } from './unify.ts';
import { unifyContext } from './unify-context.ts';

const raw = (change: Partial<RawOffer> = {}): RawOffer => ({
  ...emptyRawOffer,
  ordinal: 0,
  line: 3,
  id: 'a',
  title: ' Runs well ',
  category: 'cars',
  phone: '+7 900 000-00-00',
  attributes: [{ name: 'make', values: ['lada'], path: 'p' }],
  ...change,
});
const unified = (change: Partial<RawOffer> = {}, defaults: FeedDefaults = noDefaults) =>
  unify(
    raw(change),
    unifyContext(sampleCatalog, plainAnalyzer, { defaults, errorsMax: 20, surenessMin: 0.6 }),
  );
const codes = (change: Partial<RawOffer>) =>
  unified(change).errors.map(({ code, path }) => `${code} ${path}`);

describe('an offer of a file', () => {
  test('[P5] is interpreted by the catalogue', () => {
    const { content, errors } = unified({ price: '8 990,50', currency: 'RUR' });
    expect(errors).toEqual([]);
    expect(content).toMatchObject({
      title: 'Runs well',
      category: 'cars',
      price: { minorUnits: 899_050, currency: 'RUB' },
      attributes: [{ attribute: 'make', values: ['lada'] }],
    });
  });
  test.each([
    [{ category: 'Летающие тарелки' }, ['category offer/category']],
    [{ category: undefined }, ['category offer/category']],
    [{ category: ' ' }, ['category offer/category']],
    [{ attributes: [{ name: 'wings', values: ['2'], path: 'p' }] }, ['attribute p']],
    [{ attributes: [{ name: 'make', values: ['boeing'], path: 'p' }] }, ['attribute p']],
    [{ price: 'договорная' }, ['validation offer/price']],
    [{ latitude: '55', longitude: 'x' }, ['validation offer/place']],
    [{ latitude: '55,7', longitude: '37.6' }, []],
  ] as const)('[P5] %j has the errors %j', (change, expected) => {
    expect(codes(change as Partial<RawOffer>)).toEqual(expected);
  });
  test('[P4] with the longest texts in all fields is interpreted without a wait', { timeout: 5_000 }, () => {
    for (const text of [`1${' '.repeat(100_000)}x1x`, `${'> '.repeat(50_000)}x`, '1'.repeat(100_000)]) {
      const fields = ['title', 'price', 'currency', 'latitude', 'longitude', 'address'] as const;
      expect(unified({ category: text }).errors.length).toBeGreaterThan(0);
      const attributes = ['make', 'year', text].map((name) => ({ name, values: [text], path: name }));
      const { errors } = unified({
        ...Object.fromEntries(fields.map((name) => [name, text])),
        attributes,
      });
      expect(errors.length).toBeGreaterThanOrEqual(5);
    }
  });
  test('[P5] a number of more than 200 characters is none, one of 200 is one', () => {
    const padded = (length: number): string => `8${' '.repeat(length - 2)}9`;
    expect(unified({ price: padded(200) }).content.price?.minorUnits).toBe(8_900);
    expect(codes({ price: padded(201) })).toEqual(['validation offer/price']);
  });
  const found = (change: Partial<RawOffer>) => {
    const { content, errors } = unified({ attributes: [], ...change });
    const attributes = Object.fromEntries(content.attributes.map((one) => [one.attribute, one.values]));
    return {
      category: content.category,
      attributes,
      errors: errors.map(({ level, path }) => `${level} ${path}`),
    };
  };
  test.each([
    ['an inflected name', { category: 'car' }, 'cars', {}, ['warning offer/category']],
    ['a longer text', { category: 'used cars, good' }, 'cars', {}, ['warning offer/category']],
    [
      'a value that only one category has',
      { category: undefined, title: 'UAZ, blue' },
      'cars',
      { make: ['uaz'] },
      ['warning offer/category', 'warning offer/title'],
    ],
    ['no known word', { category: 'vessels', title: 'Boat' }, '', {}, ['error offer/category']],
  ] as const)('[P5] the category of an offer with %s', (_name, change, category, attributes, errors) => {
    expect(found(change as Partial<RawOffer>)).toEqual({ category, attributes, errors });
  });
  const one = (name: string, value: string) => ({ attributes: [{ name, values: [value], path: 'p' }] });
  test.each([
    [
      'a value of the title',
      { title: 'Lada 2015' },
      { make: ['lada'], year: [2015] },
      ['warning offer/title'],
    ],
    [
      'a value that the offer says itself',
      { title: 'Lada 2015', ...one('make', 'uaz') },
      { make: ['uaz'], year: [2015] },
      ['warning offer/title'],
    ],
    [
      'a wrong value: the title does not mend it',
      { title: 'Lada', ...one('make', 'boeing') },
      {},
      ['error p'],
    ],
    ['an attribute with a typing mistake', one('makke', 'lada'), { make: ['lada'] }, ['warning p']],
    ['an inflected attribute', one('years', '2015'), { year: [2015] }, []],
    ['a thing that is not this one', { title: 'Wheels for Lada' }, {}, []],
    ['a value that is denied', { title: 'Not new' }, { new: [false] }, ['warning offer/title']],
    ['two values of an attribute that has one', { title: 'Lada or UAZ' }, {}, []],
  ] as const)('[P5] %s', (_name, change, attributes, errors) => {
    expect(found({ title: 'Thing', ...change })).toMatchObject({ attributes, errors });
  });
  test('[P5] the title is there even if nothing else could be read', () => {
    expect(unified({ category: undefined, price: 'x', attributes: [] }).content.title).toBe('Runs well');
  });
  test('[P1] defaults of the feed fill what the offer does not say, and only that', () => {
    const defaults = {
      contacts: { name: 'Shop', phone: '+7 911 000-00-00', email: 'a@b.test' },
      address: 'Казань',
      currency: 'KZT',
    };
    expect(unified({ phone: undefined, price: '5' }, defaults).content).toMatchObject({
      contacts: { name: 'Shop', phone: '+7 911 000-00-00', email: 'a@b.test' },
      place: { address: 'Казань' },
      price: { currency: 'KZT' },
    });
    expect(
      unified({ contactName: 'Ann', address: 'Москва', price: '5 USD' }, defaults).content,
    ).toMatchObject({
      contacts: { name: 'Ann', phone: '+7 900 000-00-00', email: undefined },
      place: { address: 'Москва' },
      price: { currency: 'USD' },
    });
  });
  test('[P5] an entry has at most so many errors', () => {
    const problems = Array.from({ length: 30 }, (_, n) => ({
      code: 'validation',
      path: `p${n}`,
      message: 'm',
      line: 1,
    }));
    expect(unified({ problems }).errors).toHaveLength(20);
  });
});

import { describe, expect, test } from 'vitest';
import { sampleCatalog } from '../../gost/testing.ts';
import { noDefaults, type FeedDefaults } from './feed.ts';
import { emptyRawOffer, type RawOffer } from './raw-offer.ts';
import { unify, unifyContext } from './unify.ts';

const raw = (change: Partial<RawOffer> = {}): RawOffer => ({
  ...emptyRawOffer,
  ordinal: 0,
  line: 3,
  id: 'a',
  title: ' Lada ',
  category: 'cars',
  phone: '+7 900 000-00-00',
  attributes: [{ name: 'make', values: ['lada'], path: 'p' }],
  ...change,
});
const unified = (change: Partial<RawOffer> = {}, defaults: FeedDefaults = noDefaults) =>
  unify(raw(change), unifyContext(sampleCatalog, defaults, 20));
const codes = (change: Partial<RawOffer>) =>
  unified(change).errors.map(({ code, path }) => `${code} ${path}`);

describe('an offer of a file', () => {
  test('[P5] is interpreted by the catalogue', () => {
    const { content, errors } = unified({ price: '8 990,50', currency: 'RUR' });
    expect(errors).toEqual([]);
    expect(content).toMatchObject({
      title: 'Lada',
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
  test('[P5] the title is there even if nothing else could be read', () => {
    expect(unified({ category: undefined, price: 'x', attributes: [] }).content.title).toBe('Lada');
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

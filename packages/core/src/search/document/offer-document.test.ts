import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import type { AttributeId, CategoryId } from '../../catalog/index.ts';
import type { OfferId, OfferView, SellerId } from '../../gost/index.ts';
import type { Codec } from '../../kernel/index.ts';
import type { IndexSchema } from '../../vasgen/index.ts';
import type { OfferCard } from '../cards/offer-card.ts';
import { sampleCatalog } from '../testing/sample-catalog.ts';
import { deletionOf, documentOf, isErased, type DocumentNeeds } from './offer-document.ts';
import { fittingFields, offersSchema } from './offer-fields.ts';

const catalog = sampleCatalog();
const cards: Codec<OfferCard> = {
  encode: (card) => new TextEncoder().encode(JSON.stringify(card)),
  decode: (bytes) => ok(JSON.parse(new TextDecoder().decode(bytes)) as OfferCard),
};
const view: OfferView = {
  id: '7K2M9QXT4HB3R' as OfferId,
  seller: 'ann' as SellerId,
  sellerType: 'private',
  source: undefined,
  status: 'active',
  reasons: [],
  category: 'cars' as CategoryId,
  attributes: [],
  title: 'BMW X5',
  description: 'как новая',
  price: { minorUnits: 100_000, currency: 'RUB' },
  photos: [],
  place: { address: 'Казань', point: { latitude: 55.7, longitude: 49.1 } },
  geo: { geoId: 'kazan', district: 'center', metro: ['a', 'b'] },
  createdAtUs: 1_700_000_000_123_456,
  updatedAtUs: 1_700_000_001_000_001,
  expiresAtUs: 1_800_000_000_000_001,
  version: 4,
  catalogVersion: 3,
};
const needs: DocumentNeeds = {
  catalog,
  schema: offersSchema(catalog),
  rates: { RUB: 1 },
  ctr: undefined,
  cards,
};
const place = { epoch: 2, composedAtMs: 5_000 };
const composed = (more: Partial<OfferView> = {}, other: Partial<DocumentNeeds> = {}) =>
  documentOf({ ...view, ...more }, place, { ...needs, ...other });
const valueOf = (name: string, ...args: Parameters<typeof composed>): unknown =>
  composed(...args).document.fields.find((field) => field.name === name)?.value;
const attributes = (values: Readonly<Record<string, readonly (string | number | boolean)[]>>) => ({
  attributes: Object.entries(values).map(([attribute, list]) => ({
    attribute: attribute as AttributeId,
    values: list,
  })),
});

describe('the document of an offer', () => {
  test('[S1] its place and its end come from the offer and the moment of composition', () => {
    expect(composed().document).toMatchObject({
      pk: view.id,
      event: 'upsert',
      epoch: 2,
      version: view.updatedAtUs,
      composedAtMs: 5_000,
      expiresAtMs: 1_800_000_000_001,
    });
    expect(composed({ expiresAtUs: undefined }).document.expiresAtMs).toBeUndefined();
  });
  test.each<[string, unknown, Partial<OfferView>]>([
    ['title', 'BMW X5', {}],
    ['description', 'как новая', {}],
    ['description', undefined, { description: '' }],
    ['section', 'transport', {}],
    ['category', 'cars', {}],
    ['price', 1_000, {}],
    ['price', undefined, { price: undefined }],
    ['point', { lat: 55.7, lon: 49.1 }, {}],
    ['point', undefined, { place: { address: 'x', point: undefined } }],
    ['geoId', 'kazan', {}],
    ['district', 'center', {}],
    ['metro', ['a', 'b'], {}],
    ['metro', undefined, { geo: { geoId: 'x', district: undefined, metro: [] } }],
    ['publishedAt', 1_700_000_000_123, {}],
    ['updatedAt', 1_700_000_001_000, {}],
    ['seller', 'ann', {}],
    ['sellerType', 'private', {}],
    ['sellerType', 'company', { sellerType: 'company' }],
    ['withPhoto', false, {}],
    ['withPhoto', false, { photos: [{ url: 'u', outcome: undefined }] }],
    ['withPhoto', false, { photos: [{ url: 'u', outcome: { kind: 'failed', reason: 'x' } }] }],
    [
      'withPhoto',
      true,
      { photos: [{ url: 'u', outcome: { kind: 'ready', imageId: 'i', width: 1, height: 1 } }] },
    ],
  ])('[S1] %s is %j', (name, value, more) => {
    expect(valueOf(name, more)).toEqual(value);
  });
  test('[S1] the click rate is there when it is known', () => {
    expect(valueOf('ctr')).toBeUndefined();
    expect(valueOf('ctr', {}, { ctr: 0.25 })).toBe(0.25);
  });
  test('[S1] a price without a rate is left out and counted', () => {
    const usd = { price: { minorUnits: 5, currency: 'USD' } };
    expect(valueOf('price', usd)).toBeUndefined();
    expect(composed(usd).leftOut.prices).toBe(1);
    expect(composed({ price: undefined }).leftOut.prices).toBe(0);
    expect(composed().leftOut).toEqual({ attributes: 0, misfits: 0, prices: 0 });
  });
  test('[S1] names of the categories above it, except the root, and of chosen values are searchable', () => {
    const words = valueOf('names', attributes({ brand: ['bmw'], vin: ['WBA123'] })) as string;
    for (const word of ['cars', 'cars-ru', 'transport', 'bmw-ru', 'bmw-alias', 'WBA123'])
      expect(words).toContain(word);
    expect(words.split(' ')).not.toContain('all');
  });
  test('[S1] what the catalogue does not know, and numbers, are no words; names of any length fit the index', () => {
    const words = valueOf('names', attributes({ unknown: ['strange'], vin: [777] })) as string;
    expect(words).not.toMatch(/strange|777/);
    const long = (chars: number) =>
      (valueOf('names', attributes({ vin: ['x'.repeat(chars)] })) as string).length;
    expect(long(7_000)).toBeLessThan(8_000);
    expect(long(9_000)).toBe(8_000);
  });
  test.each<[string, readonly (string | number | boolean)[], string, unknown]>([
    ['brand', ['bmw'], 'enum', 'bmw'],
    ['year', [2020], 'number', 2020],
    ['electric', [true], 'boolean', true],
    ['colors', ['red', 'blue'], 'enum', ['red', 'blue']],
  ])('[S1] attribute %s %j is a field of kind %s', (id, values, kind, value) => {
    const { document } = composed(attributes({ [id]: values }));
    expect(document.fields.find(({ name }) => name === `attr.${id}`)).toMatchObject({
      kind,
      value,
      multiple: id === 'colors',
    });
  });
  test.each<[string, readonly (string | number | boolean)[], object]>([
    ['unknown', ['x'], { attributes: 1 }],
    ['old', ['a'], { attributes: 1 }],
    ['year', ['2020'], { misfits: 1 }],
    ['year', [2020, 2021], { misfits: 1 }],
    ['electric', ['yes'], { misfits: 1 }],
    ['brand', [1], { misfits: 1 }],
    ['colors', ['red', 5], { misfits: 1 }],
    ['colors', [true, 'red'], { misfits: 1 }],
    ['secret', ['a'], { attributes: 0, misfits: 0 }],
    ['vin', ['x'], { attributes: 0, misfits: 0 }],
    ['brand', [], { attributes: 0, misfits: 0 }],
  ])('[S1] attribute %s %j is left out', (id, values, leftOut) => {
    const one = composed(attributes({ [id]: values }));
    expect(one.document.fields.some(({ name }) => name === `attr.${id}`)).toBe(false);
    expect(one.leftOut).toMatchObject(leftOut);
  });
  test('[S1] a value that does not fit the type of an older epoch is left out there, and only there', () => {
    const schema: IndexSchema = {
      ...needs.schema,
      'attr.year': { kind: 'enum' },
      'attr.colors': { kind: 'enum' },
    };
    const offer = attributes({ year: [2020], colors: ['red'], brand: ['bmw'] });
    const old = composed(offer, { schema });
    expect(old.leftOut.misfits).toBe(2);
    expect(old.document.fields.map(({ name }) => name)).toContain('attr.brand');
    expect(composed(offer).leftOut.misfits).toBe(0);
  });
  test('[S12] its payload is the card', () => {
    const payload = composed({
      photos: [
        { url: 'a', outcome: { kind: 'failed', reason: 'x' } },
        { url: 'b', outcome: { kind: 'ready', imageId: 'second', width: 1, height: 1 } },
      ],
    }).document.payload!;
    expect(cards.decode(payload)._unsafeUnwrap()).toMatchObject({
      title: 'BMW X5',
      coverId: 'second',
      photos: 1,
    });
  });
});

test('[S1] a deletion needs nothing but the place', () => {
  expect(deletionOf('x', 7, place)).toMatchObject({
    pk: 'x',
    event: 'delete',
    epoch: 2,
    version: 7,
    fields: [],
  });
  expect(deletionOf('x', 7, place, 'erase').event).toBe('erase');
});
test.each<[Partial<OfferView>, boolean]>([
  [{ status: 'removed', title: '', description: '' }, true],
  [{ status: 'removed', title: 'x', description: '' }, false],
  [{ status: 'removed', title: '', description: 'x' }, false],
  [{ status: 'hidden', title: '', description: '' }, false],
])('[V16] an erased offer is a removed one without content: %j', (more, is) => {
  expect(isErased({ ...view, ...more })).toBe(is);
});
test('[S1] fields of another type are not declared again', () => {
  const wanted: IndexSchema = {
    a: { kind: 'enum' },
    b: { kind: 'enum', multiple: true },
    c: { kind: 'number' },
  };
  expect(Object.keys(fittingFields({ a: { kind: 'enum' }, b: { kind: 'enum' } }, wanted))).toEqual([
    'a',
    'c',
  ]);
});

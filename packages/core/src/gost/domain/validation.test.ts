import { describe, expect, test } from 'vitest';
import type { AttributeId, CategoryId } from '../../catalog/index.ts';
import { sampleCatalog, sampleContent } from '../testing/samples.ts';
import type { AttributeValue, OfferContent } from './offer.ts';
import { defaultOfferLimits, violationsOf } from './validation.ts';

const of = (change: Partial<OfferContent>): string[] =>
  violationsOf(sampleContent(change), sampleCatalog).map(({ path, code }) => `${path} ${code}`);
const attributes = (...given: [string, ...AttributeValue[]][]): Partial<OfferContent> => ({
  attributes: given.map(([attribute, ...values]) => ({ attribute: attribute as AttributeId, values })),
});
const contacts = { name: undefined, phone: undefined, email: undefined };
const place = { address: undefined, point: undefined };

describe('validation', () => {
  test('[G4] an offer that keeps every rule has no violation', () => {
    expect(of({})).toEqual([]);
    expect(
      of(attributes(['make', 'uaz'], ['year', 1999], ['options', 'abs', 'air'], ['new', false])),
    ).toEqual([]);
  });
  test.each<[string, Partial<OfferContent>, string[]]>([
    ['no title', { title: ' ' }, ['title TooShort']],
    ['an over-long title', { title: 'x'.repeat(121) }, ['title TooLong']],
    ['symbols count, not code units', { title: '😀'.repeat(120) }, []],
    ['an over-long description', { description: 'x'.repeat(20_001) }, ['description TooLong']],
    ['a broken price', { price: { minorUnits: 1.5, currency: 'RUB' } }, ['price.minor_units OutOfRange']],
    ['a negative price', { price: { minorUnits: -1, currency: 'RUB' } }, ['price.minor_units OutOfRange']],
    ['a foreign currency', { price: { minorUnits: 1, currency: 'XXX' } }, ['price.currency UnknownValue']],
    ['no http address', { photos: ['ftp://a/b'] }, ['photos[0] Malformed']],
    ['a photo twice', { photos: ['http://a/b', 'http://a/b'] }, ['photos[1] Duplicate']],
    [
      'too many photos',
      { photos: Array.from({ length: 31 }, (_, i) => `http://a/${i}`) },
      ['photos TooMany'],
    ],
    ['nobody to call', { contacts }, ['contacts Missing']],
    ['no phone number', { contacts: { ...contacts, phone: 'call me' } }, ['contacts.phone Malformed']],
    ['no e-mail', { contacts: { ...contacts, email: 'a@b' } }, ['contacts.email Malformed']],
    [
      'off the globe',
      { place: { ...place, point: { latitude: 91, longitude: Number.NaN } } },
      ['place.latitude OutOfRange', 'place.longitude OutOfRange'],
    ],
    ['an endless address', { place: { ...place, address: 'x'.repeat(501) } }, ['place.address TooLong']],
    ['an unknown category', { category: 'boats' as CategoryId }, ['category UnknownValue']],
    ['a retired category', { category: 'gone' as CategoryId }, ['category Retired']],
    ['a required attribute is missing', attributes(), ['attributes.make Missing']],
    ['a required attribute is empty', attributes(['make']), ['attributes.make Missing']],
    ['an unknown attribute', attributes(['make', 'uaz'], ['wings', 2]), ['attributes[1] UnknownAttribute']],
    ['an attribute twice', attributes(['make', 'uaz'], ['make', 'lada']), ['attributes[1] Duplicate']],
    ['no dictionary value', attributes(['make', 'ford']), ['attributes[0].values[0] UnknownValue']],
    ['two values of one', attributes(['make', 'uaz', 'lada']), ['attributes[0] TooMany']],
    [
      'a number out of range',
      attributes(['make', 'uaz'], ['year', 1800]),
      ['attributes[1].values[0] OutOfRange'],
    ],
    [
      'text for a number',
      attributes(['make', 'uaz'], ['year', '1999']),
      ['attributes[1].values[0] WrongType'],
    ],
    [
      'long text',
      attributes(['make', 'uaz'], ['options', 'x'.repeat(11)]),
      ['attributes[1].values[0] TooLong'],
    ],
    ['text for yes or no', attributes(['make', 'uaz'], ['new', 'no']), ['attributes[1].values[0] WrongType']],
  ])('[G4] %s', (_name, change, violations) => {
    expect(of(change)).toEqual(violations);
  });
  test('[G4] an offer of 101 KB is refused as a whole', () => {
    const limits = { ...defaultOfferLimits, descriptionCharsMax: 1_000_000 };
    const large = sampleContent({ description: 'x'.repeat(101 * 1024) });
    expect(violationsOf(large, sampleCatalog, limits).map(({ path, code }) => `${path} ${code}`)).toEqual([
      'offer TooLarge',
    ]);
  });
  test('[G4] every violation is told at once', () => {
    expect(of({ title: '', contacts, ...attributes(['year', 'old']) })).toEqual([
      'title TooShort',
      'contacts Missing',
      'attributes[0].values[0] WrongType',
      'attributes.make Missing',
    ]);
  });
});

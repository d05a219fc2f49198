import { describe, expect, test } from 'vitest';
import type { AttributeId, CategoryId } from '../../catalog/index.ts';
import { sampleCatalog, sampleContent } from '../testing/samples.ts';
import { contentBytes, type AttributeValue, type OfferContent } from './offer.ts';
import { FIELD_BOUNDS } from './field-rules.ts';
import { defaultOfferLimits, draftViolations, violationsOf } from './validation.ts';

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
    ['no contact', { contacts }, ['contacts Missing']],
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

describe('texts of an offer', () => {
  const contact = { name: 'Ann', phone: '+7 999 000-00-00', email: undefined };
  test.each<[string, Partial<OfferContent>, string[]]>([
    ['NUL in the title', { title: 'Car\0' }, ['title ControlCharacter']],
    ['a new line in the title', { title: 'Car\nred' }, ['title ControlCharacter']],
    ['a title of zero width', { title: '\u200b\u200b\u2060' }, ['title Blank']],
    ['a title with half of a surrogate pair', { title: 'Car \ud83d' }, ['title InvalidText']],
    ['new lines and tabs in the description', { description: 'a\r\n\tb' }, []],
    ['escape in the description', { description: 'a\u001b[31m' }, ['description ControlCharacter']],
    ['NUL in the address', { place: { ...place, address: 'a\0' } }, ['place.address ControlCharacter']],
    ['NUL in a name', { contacts: { ...contact, name: 'A\0' } }, ['contacts.name ControlCharacter']],
    ['an over-long name', { contacts: { ...contact, name: 'x'.repeat(201) } }, ['contacts.name TooLong']],
    [
      'NUL in an e-mail address',
      { contacts: { ...contact, email: 'a\0@b.example' } },
      ['contacts.email Malformed'],
    ],
    [
      'an over-long e-mail address',
      { contacts: { ...contact, email: `${'a'.repeat(191)}@b.example` } },
      ['contacts.email Malformed'],
    ],
    ['NUL in the address of a picture', { photos: ['http://a/\0'] }, ['photos[0] Malformed']],
    [
      'a blank string attribute',
      attributes(['make', 'uaz'], ['options', ' ']),
      ['attributes[1].values[0] Blank'],
    ],
    [
      'an empty string attribute',
      attributes(['make', 'uaz'], ['options', '']),
      ['attributes[1].values[0] Missing'],
    ],
    [
      'NUL in a string attribute',
      attributes(['make', 'uaz'], ['options', 'a\0']),
      ['attributes[1].values[0] ControlCharacter'],
    ],
  ])('[X6] [G4] an offer with %s is judged with the name of the field', (_name, change, violations) => {
    expect(of(change)).toEqual(violations);
  });
  test('[X5] a million attributes are one violation, not a crash', () => {
    const attribute = 'wings' as AttributeId;
    const many = Array.from({ length: 1_000_000 }, () => ({ attribute, values: [] }));
    const found = of({ attributes: many });
    expect(found).toContain('attributes TooMany');
    expect(found.length).toBeLessThan(2 * FIELD_BOUNDS.attributes);
  });
});

describe('drafts', () => {
  const { category, ...text } = sampleContent();
  const ofDraft = (change: Partial<OfferContent>): string[] =>
    draftViolations({ category: change.category ?? category, content: { ...text, ...change } }).map(
      ({ path, code }) => `${path} ${code}`,
    );
  test.each([
    [Number.NaN, 0, ['place.latitude']],
    [0, Number.NaN, ['place.longitude']],
    [Infinity, -Infinity, ['place.latitude', 'place.longitude']],
    [90, 180, []],
    [-90, -180, []],
    [90.000_001, 180, ['place.latitude']],
    [-90, -180.000_001, ['place.longitude']],
  ])('[X1] a place at %d, %d is judged alike in a draft and in an offer', (latitude, longitude, paths) => {
    const content = sampleContent({ place: { address: undefined, point: { latitude, longitude } } });
    const pathsOf = (violations: readonly { path: string }[]) => violations.map(({ path }) => path);
    expect(pathsOf(violationsOf(content, sampleCatalog))).toEqual(paths);
    expect(pathsOf(draftViolations({ category: undefined, content }))).toEqual(paths);
  });
  test('[X7] nothing is required of a draft', () => {
    const draft = {
      title: '',
      contacts,
      price: { minorUnits: 0, currency: '' },
      photos: ['', ''],
      attributes: [],
    };
    expect(ofDraft(draft)).toEqual([]);
    expect(ofDraft({ contacts: { ...contacts, phone: '+7', email: 'ann@' } })).toEqual([]);
  });
  test.each<[string, Partial<OfferContent>, string[]]>([
    ['a category', { category: 'x'.repeat(101) as CategoryId }, ['category_id TooLong']],
    ['a title', { title: 'x'.repeat(121) }, ['title TooLong']],
    ['NUL', { title: '\0' }, ['title ControlCharacter']],
    ['a description', { description: 'x'.repeat(20_001) }, ['description TooLong']],
    ['a price', { price: { minorUnits: 2 ** 63, currency: 'RUB' } }, ['price.minor_units OutOfRange']],
    ['a currency', { price: { minorUnits: 1, currency: 'x'.repeat(9) } }, ['price.currency UnknownValue']],
    ['photos', { photos: Array.from({ length: 31 }, () => 'x') }, ['photos TooMany']],
    ['the address of a picture', { photos: ['x'.repeat(2_001)] }, ['photos[0] TooLong']],
    ['an address', { place: { ...place, address: 'x'.repeat(501) } }, ['place.address TooLong']],
    [
      'a latitude',
      { place: { ...place, point: { latitude: 91, longitude: 0 } } },
      ['place.latitude OutOfRange'],
    ],
    ['a name', { contacts: { ...contacts, name: 'x'.repeat(201) } }, ['contacts.name TooLong']],
    ['a phone', { contacts: { ...contacts, phone: 'x'.repeat(201) } }, ['contacts.phone TooLong']],
    ['an e-mail address', { contacts: { ...contacts, email: 'x'.repeat(201) } }, ['contacts.email TooLong']],
    ['the id of an attribute', attributes(['x'.repeat(101), 1]), ['attributes[0] TooLong']],
    ['values', attributes(['x', ...Array.from({ length: 101 }, () => 1)]), ['attributes[0] TooMany']],
    ['a number', attributes(['x', Number.NaN]), ['attributes[0].values[0] WrongType']],
    ['NUL in a value', attributes(['x', 'a\0']), ['attributes[0].values[0] ControlCharacter']],
    ['all of it', attributes(['x', 'x'.repeat(101 * 1024)]), ['draft TooLarge']],
  ])('[X7] a draft has the limits of an offer: %s', (_name, change, violations) => {
    expect(ofDraft(change)).toEqual(violations);
  });
});

describe('the largest values that are allowed', () => {
  test('[X14] [G4] exactly as many photos, and points at the edge of the globe', () => {
    expect(of({ photos: Array.from({ length: 30 }, (_, i) => `http://a/${i}`) })).toEqual([]);
    for (const sign of [-1, 1])
      expect(of({ place: { ...place, point: { latitude: sign * 90, longitude: sign * 180 } } })).toEqual([]);
  });
  test('[X14] [G4] an offer of exactly the allowed bytes, and one of a byte more', () => {
    const content = sampleContent();
    const limits = (offerBytesMax: number) => ({ ...defaultOfferLimits, offerBytesMax });
    const bytes = contentBytes(content);
    expect(violationsOf(content, sampleCatalog, limits(bytes))).toEqual([]);
    expect(violationsOf(content, sampleCatalog, limits(bytes - 1))).toMatchObject([{ path: 'offer' }]);
  });
  test('[X14] [G4] numbers at both ends of their range', () => {
    const rule = sampleCatalog
      .effectiveAttributes(sampleContent().category)
      .find(({ attribute }) => (attribute.id as string) === 'year')!;
    const { min, max } = rule.range;
    for (const year of [min!, max!]) expect(of(attributes(['make', 'uaz'], ['year', year]))).toEqual([]);
  });
  test('[X14] exactly as many attributes as allowed are looked at one by one', () => {
    const attribute = 'wings' as AttributeId;
    const many = (length: number) =>
      of({ attributes: Array.from({ length }, () => ({ attribute, values: [] })) });
    expect(many(FIELD_BOUNDS.attributes)).not.toContain('attributes TooMany');
    expect(many(FIELD_BOUNDS.attributes + 1)).toContain('attributes TooMany');
  });
});

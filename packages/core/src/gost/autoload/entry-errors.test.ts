import { describe, expect, test } from 'vitest';
import type { AttributeId } from '../../catalog/index.ts';
import { feedEntry } from '../testing/feed-samples.ts';
import { entryError, SHOWN_CHARS_MAX, shown } from './entry-errors.ts';

const entry = feedEntry(
  1,
  {
    title: 'Bicycle',
    photos: ['https://photos.test/1.jpg', 'no address'],
    price: { minorUnits: 5, currency: 'XXX' },
    contacts: { name: undefined, phone: 'call me', email: undefined },
    attributes: [
      { attribute: 'color' as AttributeId, values: ['red', 'green'] },
      { attribute: 'year' as AttributeId, values: [1_000] },
    ],
  },
  { line: 7 },
);
const told = (path: string) => entryError(entry, { path, code: 'Wrong', message: 'm' });

describe('an error of an entry', () => {
  test.each([
    ['title', 'title', 'Bicycle'],
    ['photos[1]', 'photos[1]', 'no address'],
    ['price.currency', 'price.currency', 'XXX'],
    ['price', 'price', '5'],
    ['contacts.phone', 'contacts.phone', 'call me'],
    ['contacts.email', 'contacts.email', undefined],
    ['contacts', 'contacts', undefined],
    ['attributes[0].values[1]', 'attributes.color', 'green'],
    ['attributes[1].values[0]', 'attributes.year', '1000'],
    ['attributes[1]', 'attributes.year', undefined],
    ['attributes[9]', 'attributes[9]', undefined],
    ['attributes.wheels', 'attributes.wheels', undefined],
    ['constructor.name', 'constructor.name', undefined],
    ['', '', undefined],
  ])('[G8] at %s names %s and shows the value', (path, named, value) => {
    expect(told(path)).toEqual({ level: 'error', code: 'Wrong', path: named, message: 'm', value, line: 7 });
  });
  test('[G8] of an entry without content has no value', () => {
    expect(
      entryError({ ...entry, content: undefined }, { path: 'title', code: 'c', message: 'm' }).value,
    ).toBe(undefined);
  });
  test.each([
    [SHOWN_CHARS_MAX, SHOWN_CHARS_MAX],
    [SHOWN_CHARS_MAX + 1, SHOWN_CHARS_MAX],
  ])('[G8] shows %i characters of a value as %i', (given, kept) => {
    expect([...shown('🚲'.repeat(given))]).toHaveLength(kept);
    expect(shown('x'.repeat(given))).toHaveLength(kept);
  });
});

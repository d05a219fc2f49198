import fc from 'fast-check';
import { ok } from 'neverthrow';
import { expect, test } from 'vitest';
import { formatFilter, parseFilter, type ChosenFilter } from './filter-text.ts';

test.each<[string, ChosenFilter]>([
  ['attr.brand:bmw', { id: 'attr.brand', kind: 'values', values: ['bmw'] }],
  ['attr.brand:bmw,audi,bmw', { id: 'attr.brand', kind: 'values', values: ['bmw', 'audi'] }],
  ['metro:a\\,b,c\\\\d', { id: 'metro', kind: 'values', values: ['a,b', 'c\\d'] }],
  ['price:1..2', { id: 'price', kind: 'range', min: 1, max: 2 }],
  ['price:2..2', { id: 'price', kind: 'range', min: 2, max: 2 }],
  ['price:-1.5..', { id: 'price', kind: 'range', min: -1.5, max: undefined }],
  ['price:..7', { id: 'price', kind: 'range', min: undefined, max: 7 }],
  ['seller:a:b', { id: 'seller', kind: 'values', values: ['a:b'] }],
])('[S6] %s is read', (text, filter) => {
  expect(parseFilter(text, 'filter[0]')).toEqual(ok(filter));
});

test.each([
  ['price', 'Malformed'],
  [':1', 'Malformed'],
  ['attr.:1', 'Malformed'],
  ['Price 2:1', 'Malformed'],
  ['price:', 'Malformed'],
  ['price:..', 'Malformed'],
  ['a:b,,c', 'Malformed'],
  ['a:b\\', 'Malformed'],
  ['a:b\\c', 'Malformed'],
  ['price:3..2', 'Range'],
])('[S9] %s is refused', (text, code) => {
  expect(parseFilter(text, 'filter[3]')._unsafeUnwrapErr()).toMatchObject({ path: 'filter[3]', code });
});

test('[S6] what is written is read back, whatever the values hold', () => {
  const value = fc
    .string({ minLength: 1, maxLength: 12 })
    .filter((text) => !/^[-\d.]*\.\.[-\d.]*$/.test(text));
  fc.assert(
    fc.property(fc.uniqueArray(value, { minLength: 1, maxLength: 4 }), (values) => {
      const filter: ChosenFilter = { id: 'attr.x', kind: 'values', values };
      expect(parseFilter(formatFilter(filter), 'f')).toEqual(ok(filter));
    }),
    { numRuns: 1000 },
  );
});

import { expect, test } from 'vitest';
import { commonPrice } from './price.ts';

test.each([
  [{ minorUnits: 150_000, currency: 'RUB' }, 1_500],
  [{ minorUnits: 1, currency: 'RUB' }, 0.01],
  [{ minorUnits: 0, currency: 'USD' }, 0],
  [{ minorUnits: 1_050, currency: 'USD' }, 840],
  [{ minorUnits: 100, currency: 'XXX' }, undefined],
  [{ minorUnits: 100, currency: 'toString' }, undefined],
  [undefined, undefined],
])('[S1] %j is worth %s in the common currency', (price, worth) => {
  expect(commonPrice(price, { RUB: 1, USD: 80 })).toBe(worth);
});

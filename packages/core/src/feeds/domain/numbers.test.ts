import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseMeasure, parseNumber, parsePrice, parseYesNo } from './numbers.ts';

describe('numbers as sellers write them', () => {
  test.each([
    ['8 990,50', 8990.5],
    ['8\u00a0990', 8990],
    ["12'000", 12000],
    ['1.5', 1.5],
    ['1,5', 1.5],
    ['1.000.000', 1_000_000],
    ['1,234.50', 1234.5],
    ['1.234,50', 1234.5],
    ['-3', -3],
    ['', undefined],
    ['abc', undefined],
    ['1.2.3', undefined],
    ['1e5', undefined],
    ['--1', undefined],
  ])('[P5] %s is %s', (text, expected) => {
    expect(parseNumber(text)).toBe(expected);
  });
  test('[P5] a number that is printed plainly is read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), (n) => {
        expect(parseNumber(String(n))).toBe(n);
      }),
      { numRuns: 1000 },
    );
  });
  test.each([
    ['8 990,50', { minorUnits: 899_050, currency: undefined }],
    ['100 ₽', { minorUnits: 10_000, currency: 'RUB' }],
    ['5 RUR', { minorUnits: 500, currency: 'RUB' }],
    ['12.30 USD', { minorUnits: 1_230, currency: 'USD' }],
    ['0', { minorUnits: 0, currency: undefined }],
    ['-1', undefined],
    ['договорная', undefined],
    ['', undefined],
  ])('[P5] the price %s', (text, expected) => {
    expect(parsePrice(text)).toEqual(expected);
  });
  test.each([
    ['1,5 л', 'л', 1.5],
    ['1500 мл', 'л', 1.5],
    ['12 000 км', 'км', 12_000],
    ['2 м', 'см', 200],
    ['64 ГБ', 'GB', 64],
    ['54 м²', 'м²', 54],
    ['7', undefined, 7],
    ['150 л.с.', 'л.с.', 150],
    ['100 кВт', 'л.с.', 135.96216173],
    ['5 соток', 'м²', 500],
    ['60 кв. м', 'м²', 60],
    ['60 м2', 'м²', 60],
    ['6,5 дюймов', '″', 6.5],
    ['2 года', 'мес.', 24],
    ['150 кг', 'км', undefined],
    ['100 штук', 'км', 100],
    ['семь', 'л', undefined],
  ])('[P5] the measure %s in %s is %s', (text, unit, expected) => {
    expect(parseMeasure(text, unit)).toBe(expected);
  });
  test.each([
    ['да', true],
    ['YES', true],
    ['нет', false],
    ['0', false],
    ['может быть', undefined],
  ])('[P5] %s is %s', (text, expected) => {
    expect(parseYesNo(text)).toBe(expected);
  });
});

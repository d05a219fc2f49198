import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadCatalogFiles } from '@doska/adapters-files';
import { russianEnglishAnalyzer } from '@doska/adapters-text';
import { catalogOf, type CategoryId } from '@doska/core/catalog';
import { guessCategory, recognitionIndex, valuesInTitle } from '@doska/core/feeds/testing';
import { describe, expect, test } from 'vitest';

const content = await loadCatalogFiles(fileURLToPath(new URL('../../catalog-api/demo', import.meta.url)));
const catalog = catalogOf(1, content._unsafeUnwrap());
const analyzer = russianEnglishAnalyzer();
const index = recognitionIndex(catalog, analyzer);
const titles = readFileSync(new URL('../../../../samples/feeds/titles.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t') as [category: string, title: string]);
const guess = (title: string, category = '') =>
  guessCategory(index, { category, title }, { surenessMin: 0.6 });
const said = (title: string, category = ''): string => {
  const found = guess(title, category);
  if (found.kind === 'sure') return found.category;
  return found.kind === 'unknown' ? found.kind : `? ${found.candidates.map((one) => one.category).join(' ')}`;
};

describe('the recogniser with the demo catalogue', () => {
  test('[P5] finds the category of labelled titles with a precision of 0.95 and a recall of 0.7', async ({
    annotate,
  }) => {
    expect(titles.length).toBeGreaterThanOrEqual(300);
    const sure = titles.flatMap(([category, title]) => {
      const found = guess(title);
      return found.kind === 'sure' ? [{ category, title, found: found.category }] : [];
    });
    const right = sure.filter(({ category, found }) => category === found);
    const wrong = sure.filter(({ category, found }) => category !== found);
    const precision = right.length / sure.length;
    const recall = right.length / titles.length;
    const told = `${titles.length} titles: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`;
    await annotate(
      [told, ...wrong.map((one) => `${one.title}: ${one.found}, not ${one.category}`)].join('\n'),
    );
    expect(precision).toBeGreaterThanOrEqual(0.95);
    expect(recall).toBeGreaterThanOrEqual(0.7);
  });
  test.each([
    ['a name with a typing mistake', 'Квадрацикл', '', 'atvs'],
    ['an inflected name', 'Куплено в магазине', 'велосипедами', 'bicycles'],
    ['a name that several have: the title tells which', 'iPhone 13', 'Apple', 'phones-apple'],
    ['a path with steps of the seller’s own', 'В коробке', 'Гаджеты > Смартфоны > Redmi', 'phones-redmi'],
    ['two things that are equally likely', 'Дача в СНТ', '', '? home houses land'],
    ['no word of the catalogue', 'Штуковина', '', 'unknown'],
    ['nothing at all', '', '', 'unknown'],
  ])('[P5] the category by %s', (_name, title, category, expected) => {
    expect(said(title, category)).toBe(expected);
  });
  test.each<[string, string, Record<string, unknown[]>]>([
    [
      'cars-used-lada',
      'Lada Granta 2018, 1,6 л, пробег 90 000 км, белый',
      {
        'car-brand': ['lada'],
        'model-lada': ['granta'],
        year: [2018],
        'engine-volume': [1.6],
        mileage: [90_000],
        color: ['white'],
      },
    ],
    ['cars-used-lada', 'ВАЗ 2107 битый', { 'car-brand': ['lada'], 'model-lada': ['2107'], crashed: [true] }],
    [
      'cars-used-bmw',
      'BMW X5 не битый, 249 л.с.',
      {
        'car-brand': ['bmw'],
        'model-bmw': ['x5'],
        crashed: [false],
        'engine-power': [249],
      },
    ],
    // 128 ГБ may be the storage or the memory: neither is taken.
    ['phones-apple', 'iPhone 13 128 ГБ чёрный', { 'phone-model-apple': ['iphone-13'], color: ['black'] }],
    ['phone-accessories', 'Чехол для iPhone 13', { 'accessory-type': ['case'] }],
    [
      'flats-sale',
      'Квартира 54 м², кирпичный дом, с мебелью',
      {
        'area-total': [54],
        'house-type': ['brick'],
        furnished: [true],
      },
    ],
    // Three areas in one number: none is certain.
    ['flats-sale', 'Квартира 54/32/10 м²', {}],
    ['bicycles', 'Горный велосипед 2020-2022', { 'bike-type': ['mountain'] }],
    ['womens-dresses', 'Платье, размер M', { 'clothing-size': ['m'] }],
    ['womens-dresses', 'Платье M', {}],
    [
      'monitors',
      'Монитор 27 дюймов, 144 Гц IPS',
      {
        'screen-diagonal': [27],
        'refresh-rate': [144],
        'monitor-panel': ['ips'],
      },
    ],
    ['cars-used-lada', 'Lada 1899', { 'car-brand': ['lada'] }],
  ])('[P5] %s «%s» has the values %j', (category, title, expected) => {
    const found = valuesInTitle(index, category as CategoryId, title, new Set());
    expect(Object.fromEntries(found.map(({ attribute, values }) => [attribute.id, values]))).toEqual(
      expected,
    );
  });
  test('[P5] the index is built once for a version of the catalogue', () => {
    expect(recognitionIndex(catalog, analyzer)).toBe(index);
    expect(recognitionIndex(catalogOf(2, content._unsafeUnwrap()), analyzer)).not.toBe(index);
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadCatalogFiles } from './load-catalog.ts';

const folder = (files: Record<string, unknown>): string => {
  const dir = mkdtempSync(join(tmpdir(), 'doska-catalog-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return dir;
};
const mistakes = async (files: Record<string, unknown>): Promise<string[]> =>
  (await loadCatalogFiles(folder(files))).match(
    () => [],
    (broken) => broken.mistakes.map(({ file, path }) => `${file} ${path}`),
  );
const names = { ru: 'Всё', en: 'All' };

test('[C2] a catalogue is loaded from a folder of files, and short forms are expanded', async () => {
  const content = (
    await loadCatalogFiles(
      folder({
        'tree.json': {
          categories: [
            { id: 'root', names, attributes: ['brand', { attribute: 'price-per-metre', min: 1 }] },
          ],
        },
        'attributes/brands.json': {
          attributes: [
            {
              id: 'brand',
              type: 'dictionary',
              names: { ru: 'Марка', en: 'Brand' },
              feeds: 'employment',
              values: [{ id: 'kia', ru: 'Kia', synonyms: { ru: ['Киа'] } }],
            },
            { id: 'price-per-metre', type: 'number', names: { ru: 'Цена', en: 'Price' }, unit: '₽' },
          ],
        },
      }),
    )
  )._unsafeUnwrap();
  expect(content.categories).toEqual([
    {
      id: 'root',
      parent: undefined,
      names: { ...names, synonyms: { ru: [], en: [] } },
      attributes: [{ attribute: 'brand' }, { attribute: 'price-per-metre', min: 1 }],
      filters: { add: [], remove: [] },
      retired: false,
    },
  ]);
  expect(content.attributes[0]).toEqual({
    id: 'brand',
    names: { ru: 'Марка', en: 'Brand', synonyms: { ru: [], en: [] } },
    multiple: false,
    filterable: true,
    retired: false,
    feeds: 'employment',
    type: {
      kind: 'dictionary',
      values: [
        { id: 'kia', names: { ru: 'Kia', en: 'Kia', synonyms: { ru: ['Киа'], en: [] } }, retired: false },
      ],
    },
  });
  expect(content.attributes[1]!.type).toEqual({
    kind: 'number',
    range: { min: undefined, max: undefined },
    unit: '₽',
  });
});
test('[C2] every mistake of every file is listed with its path, and nothing is loaded', async () => {
  expect(
    await mistakes({
      'a.json': { categories: [{ id: 'Root!', names: { ru: '', en: 'x' } }] },
      'b.json': { attributes: [{ id: 'x', type: 'colour', names }], extra: 1 },
      'c.json': '{',
    }),
  ).toEqual([
    'a.json categories.0.id',
    'a.json categories.0.names.ru',
    'b.json attributes.0.type',
    'b.json ',
    'c.json ',
  ]);
});
test('[C2] a mistake across files is reported with its file', async () => {
  expect(
    await mistakes({
      'tree.json': { categories: [{ id: 'root', names }] },
      'cars.json': { categories: [{ id: 'cars', parent: 'transport', names: { ru: 'Авто', en: 'Cars' } }] },
    }),
  ).toEqual(['cars.json categories/cars/parent']);
});
test('[C2] an empty folder or a missing folder is a mistake', async () => {
  expect((await loadCatalogFiles(folder({})))._unsafeUnwrapErr().mistakes[0]!.message).toBe('no .json file');
  expect((await loadCatalogFiles('/nowhere/at/all')).isErr()).toBe(true);
});

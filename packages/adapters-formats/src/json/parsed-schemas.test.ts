import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { read } from '../testing/read-file.ts';
import { compileOfferSchema, type SchemaFile } from './json-schema.ts';

const SAMPLES = new URL('../../../../samples/feeds/', import.meta.url);
const SOURCES = readdirSync(new URL('../../schema/parsed/', import.meta.url))
  .map((file) => file.replace(/\.json$/, ''))
  .filter((source) => source !== 'offers');
const told = async (offer: unknown, parsedFrom?: string): Promise<readonly string[]> => {
  const file = JSON.stringify({ offers: [offer] });
  const { offers, fatal } = await read(file, { size: 1_000, ...(parsedFrom ? { parsedFrom } : {}) });
  expect(fatal).toBeUndefined();
  return offers[0]!.problems.map(({ path, message }) => `${path}: ${message}`);
};
const avito = { id: 1, url: 'https://www.avito.ru/x', title: 'T', category: 'c', price: 5 };
const drom = { id: '7', title: 'T', attributes: { Год: 2018 } };

describe('schemas of crawled sources', () => {
  test.each(SOURCES)(
    '[P8] the sample of %s fits its schema, but for the mistakes beside it',
    async (source) => {
      const { offers, fatal } = await read(readFileSync(new URL(`parsed-${source}.json`, SAMPLES)), {
        size: 4_096,
        parsedFrom: source,
      });
      expect(fatal).toBeUndefined();
      const found = offers.flatMap(({ id, problems }) =>
        problems.map(({ path, line }) => `${id} line ${line}: ${path}`),
      );
      const expected = readFileSync(new URL(`parsed-${source}.expected.json`, SAMPLES), 'utf8');
      expect({ offers: offers.length, problems: found }).toEqual(JSON.parse(expected));
    },
  );
  test.each<[string, string | undefined, unknown, readonly string[]]>([
    ['a right offer', 'avito', avito, []],
    [
      'an offer without its required fields',
      'avito',
      {},
      ['title: this field is required', 'category: this field is required'],
    ],
    ['an id that is no number', 'avito', { ...avito, id: 'a1' }, ['id: must look like ^\\d+$']],
    [
      'another site',
      'avito',
      { ...avito, url: 'https://avito.ru.example/' },
      ['url: must look like ^https://(www\\.|m\\.)?avito\\.ru/'],
    ],
    ['a negative price', 'avito', { ...avito, price: -1 }, ['price: must be at least 0']],
    ['an empty title', 'avito', { ...avito, title: '' }, ['title: must not be empty']],
    [
      'a picture that is no link',
      'avito',
      { ...avito, photos: ['https://a.test/1', 'x'] },
      ['photos[1]: must look like ^https?://'],
    ],
    ['a right car', 'drom', drom, []],
    [
      'a car without attributes',
      'drom',
      { ...drom, attributes: {} },
      ['attributes: must have at least 1 field'],
    ],
    ['the rules of a source do not apply to another', 'drom', { ...drom, url: 'https://auto.drom.ru/1' }, []],
    ['a source without a schema', 'elsewhere', { title: 'T' }, []],
    ['a file of a seller', undefined, { title: 'T', attributes: { color: ['red', 1, true, null] } }, []],
    [
      'a text that is a list',
      'elsewhere',
      { title: ['T'] },
      ['title: must be string or number or boolean or null'],
    ],
    [
      'nothing where a list is expected',
      undefined,
      { photos: 'https://a.test/1' },
      ['photos: must be array or null'],
    ],
    [
      'an attribute of an odd form',
      undefined,
      { attributes: { a: { b: 1 } } },
      ['attributes.a: has a form that is not allowed here'],
    ],
  ])('[P8] %s (%s)', async (_name, source, offer, expected) => {
    expect(await told(offer, source)).toEqual(expected);
  });
  test('[P8] mistakes of an offer are bounded, and each says its value', async () => {
    const photos = Array.from({ length: 500 }, (_, n) => `picture-${n}`);
    const { offers } = await read(JSON.stringify({ offers: [{ ...avito, photos }] }), {
      parsedFrom: 'avito',
    });
    expect(offers[0]!.problems).toHaveLength(20);
    expect(offers[0]!.problems[3]).toMatchObject({
      code: 'validation',
      path: 'photos[3]',
      value: '"picture-3"',
    });
  });
  test.each<[string, SchemaFile, RegExp]>([
    [
      'a keyword that is not understood',
      { definitions: { offer: { maxLength: 1 } as never } },
      /maxLength is not supported/,
    ],
    [
      'a reference that leads nowhere',
      { definitions: { offer: { $ref: 'other.json#/definitions/x' } } },
      /leads nowhere/,
    ],
    ['no definition of an offer', {}, /leads nowhere/],
  ])('[P8] a schema with %s is refused', (_name, schema, message) => {
    expect(() => compileOfferSchema(new Map([['a.json', schema]]), 'a.json')).toThrow(message);
  });
});

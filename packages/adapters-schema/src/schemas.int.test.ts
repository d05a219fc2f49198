import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { loadSchemas } from './load-schemas.ts';
import { hasNestedRepetition } from './patterns.ts';

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));
const folderWith = (files: Readonly<Record<string, unknown>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'doska-schemas-'));
  folders.push(folder);
  for (const [name, schema] of Object.entries(files))
    writeFileSync(join(folder, name), typeof schema === 'string' ? schema : JSON.stringify(schema));
  return folder;
};
const load = (files: Readonly<Record<string, unknown>>) => loadSchemas(folderWith(files));
const accepts = async (schema: unknown, value: unknown): Promise<boolean> =>
  (await load({ 'a.json': schema }))._unsafeUnwrap().violations('a', value).length === 0;
const DRAFT_03 = { $schema: 'http://json-schema.org/draft-03/schema#' };
const DRAFT_04 = { $schema: 'http://json-schema.org/draft-04/schema#' };
const DRAFT_07 = { $schema: 'http://json-schema.org/draft-07/schema#' };

describe('schemas', () => {
  test('[F4] a value is checked by the schema, and a violation says where', async () => {
    const schemas = (
      await load({
        'place.json': { ...DRAFT_04, properties: { name: { type: 'string' } }, required: ['name'] },
      })
    )._unsafeUnwrap();
    expect([schemas.has('place'), schemas.has('place.json'), schemas.has('nope')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(schemas.violations('place', { name: 'x' })).toEqual([]);
    expect(schemas.violations('place.json', { name: 1 })).toEqual([
      { path: '/name', code: 'type', message: 'must be string' },
    ]);
    expect(schemas.violations('place', {})[0]).toMatchObject({ code: 'required' });
  });
  test.each([
    ['exclusiveMinimum of draft-04', { ...DRAFT_04, minimum: 1, exclusiveMinimum: true }, 1, 2],
    ['exclusiveMinimum of draft-07', { ...DRAFT_07, exclusiveMinimum: 1 }, 1, 2],
    ['const of draft-07', { ...DRAFT_07, const: 'a' }, 'b', 'a'],
    ['no $schema is draft-04', { minimum: 1, exclusiveMinimum: true }, 1, 2],
    ['required: true', { ...DRAFT_03, properties: { a: { required: true } } }, {}, { a: 1 }],
    [
      'required: true inside',
      { ...DRAFT_03, properties: { a: { properties: { b: { required: true } } } } },
      { a: {} },
      { a: { b: 1 } },
    ],
    ['divisibleBy', { ...DRAFT_03, divisibleBy: 3 }, 4, 6],
    ['disallow of a type', { ...DRAFT_03, disallow: 'string' }, 'x', 1],
    ['disallow of types', { ...DRAFT_03, disallow: ['string', 'null'] }, null, 1],
    ['disallow of a schema', { ...DRAFT_03, disallow: [{ minimum: 5 }] }, 6, 4],
    ['disallow of everything', { ...DRAFT_03, properties: { a: { disallow: 'any' } } }, { a: 1 }, {}],
    ['extends', { ...DRAFT_03, extends: { minimum: 5 } }, 4, 5],
    ['extends of several', { ...DRAFT_03, extends: [{ minimum: 5 }, { maximum: 7 }] }, 8, 6],
    ['a type that is a schema', { ...DRAFT_03, type: ['null', { type: 'string', minLength: 2 }] }, 'x', 'xx'],
    ['several types', { ...DRAFT_03, type: ['null', 'integer'] }, 'x', 1],
    [
      'additionalProperties that is a schema',
      { ...DRAFT_03, additionalProperties: { divisibleBy: 2 } },
      { a: 3 },
      { a: 4 },
    ],
    ['items', { ...DRAFT_03, items: { divisibleBy: 2 } }, [3], [4]],
    ['items one by one', { ...DRAFT_03, items: [{ divisibleBy: 2 }] }, [3], [4]],
    [
      'patternProperties',
      { ...DRAFT_03, patternProperties: { '^a': { divisibleBy: 2 } } },
      { ab: 3 },
      { b: 3 },
    ],
    ['a dependency that is a name', { ...DRAFT_03, dependencies: { a: 'b' } }, { a: 1 }, { a: 1, b: 1 }],
    [
      'a dependency that is a schema',
      { ...DRAFT_03, dependencies: { a: { properties: { b: { required: true } } } } },
      { a: 1 },
      { a: 1, b: 1 },
    ],
  ])('[F4] %s', async (_name, schema, wrong, right) => {
    expect([await accepts(schema, wrong), await accepts(schema, right)]).toEqual([false, true]);
  });
  test('[F4] the type any of draft-03 is everything', async () => {
    for (const value of [1, 'x', null, [], {}])
      expect(await accepts({ ...DRAFT_03, type: 'any' }, value)).toBe(true);
  });
  test('[F4] a $ref leads to another file of the folder, and nowhere else', async () => {
    const other = { type: 'string' };
    const schemas = await load({
      'a.json': {
        properties: { x: { $ref: 'b.json' }, y: { $ref: '#/definitions/n' } },
        definitions: { n: { type: 'null' } },
      },
      'b.json': other,
    });
    expect(schemas._unsafeUnwrap().violations('a', { x: 1 })).toHaveLength(1);
    expect(schemas._unsafeUnwrap().violations('a', { x: 'x', y: null })).toEqual([]);
    for (const $ref of [
      '../b.json',
      '/etc/passwd',
      'http://example.com/b.json',
      'file:///b.json',
      'sub/b.json',
    ])
      expect((await load({ 'a.json': { $ref } }))._unsafeUnwrapErr().mistakes[0]).toContain(
        'leaves the folder',
      );
    expect((await load({ 'a.json': { $ref: 'missing.json' } })).isErr()).toBe(true);
  });
  test.each([
    ['no JSON', '{'],
    ['a list', []],
    ['a number', 5],
    ['an unknown draft', { $schema: 'http://json-schema.org/draft-99/schema#' }],
    ['a keyword with a wrong value', { minimum: 'x' }],
    ['a type that does not exist', { type: 'colour' }],
    ['a pattern that is none', { pattern: '(' }],
    ['a pattern with nested repetition', { properties: { a: { pattern: '^(a+)+$' } } }],
  ])('[F4] %s as a schema is refused with its file', async (_name, schema) => {
    expect(
      (await load({ 'good.json': {}, 'wrong.json': schema }))._unsafeUnwrapErr().mistakes.join(),
    ).toContain('wrong.json');
  });
  test('[F4] a folder that is missing is refused', async () => {
    expect((await loadSchemas('/nowhere')).isErr()).toBe(true);
  });
  test.each([
    ['^(a+)+$', true],
    ['(a*)*', true],
    ['((ab)+c)+', true],
    ['(?:x{2,})+', true],
    ['(\\w+\\s?)*$', true],
    ['(a{1,50}){2,40}', true],
    ['((a+))+', true],
    ['a+b+', false],
    ['(abc)+', false],
    ['(a+)', false],
    ['^(\\d{1,3}\\.){3}\\d{1,3}$', false],
    ['^(\\d{2}:){2}\\d{2}$', false],
    ['[(a+)+]', false],
    ['\\(a+\\)+', false],
    ['(a+){3}', false],
    ['(a+)?', false],
  ])('[F4] the pattern %s has nested repetition: %s', (pattern, nested) => {
    expect(hasNestedRepetition(pattern)).toBe(nested);
  });
});

import { describe, expect, test } from 'vitest';
import { builtInParts } from './built-in-parts.ts';

const input = (text: string) => ({
  format: 'json' as const,
  bytes: Buffer.from(text),
  json: JSON.parse(text) as unknown,
  key: 'k',
  language: '',
});
const byLanguage = (text: string, languages?: readonly string[]) =>
  builtInParts.convertors!['by_language']!.make({ name: 's', output: 'json', languages })(input(text));

describe('by_language', () => {
  test('[F5] [F7] a number of 20 digits, the order of keys and spaces stay as they were uploaded', async () => {
    const made = await byLanguage(
      '{ "en": {"z": 12345678901234567890, "a":1.0}, "fr":0, "ru" : ["да", 1e2 ] }',
      ['ru', 'en'],
    );
    if (made.kind !== 'converted') throw new Error(made.kind);
    expect(made.contents.map(({ language, bytes }) => [language, Buffer.from(bytes).toString()])).toEqual([
      ['ru', '["да", 1e2 ]'],
      ['en', '{"z": 12345678901234567890, "a":1.0}'],
    ]);
  });
  test.each([
    ['a missing member', '{"ru":1}', ['/en']],
    ['a list', '[1]', ['/ru', '/en']],
    ['null', 'null', ['/ru', '/en']],
    ['a text', '"ru"', ['/ru', '/en']],
  ])('[F5] %s: the languages without a member are named', async (_name, text, paths) => {
    const made = await byLanguage(text, ['ru', 'en']);
    expect(made.kind === 'refused' ? made.violations.map(({ path }) => path) : []).toEqual(paths);
  });
  test('[F5] no member of an object that every object has counts as a language', async () => {
    const made = await byLanguage('{"ru":1}', ['ru', 'constructor']);
    expect(made).toMatchObject({ kind: 'refused', violations: [{ path: '/constructor' }] });
  });
});

const keyOf = (text: string) => builtInParts.extractors!['json_id']!.make({ name: 's' })(input(text));
test.each([
  ['{"id":"k"}', { kind: 'found', key: 'k' }],
  ['{"id":"k","language":"ru"}', { kind: 'found', key: 'k', language: 'ru' }],
  ['{"id":"k","language":7}', { kind: 'found', key: 'k' }],
  ['{"id":9007199254740991}', { kind: 'found', key: '9007199254740991' }],
  ['{"id":0}', { kind: 'found', key: '0' }],
])('[F8] json_id finds the key of %s', (text, found) => expect(keyOf(text)).toEqual(found));
test.each(['{"id":9007199254740993}', '{"id":1.5}', '{"id":""}', '{"id":null}', '{}', '[]', '7', 'null'])(
  '[F8] json_id refuses %s',
  (text) => expect(keyOf(text)).toMatchObject({ kind: 'refused' }),
);

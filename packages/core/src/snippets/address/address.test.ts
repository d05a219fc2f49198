import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contentTypesOf, formatOfType } from './data-format.ts';
import { checkedKey } from './key-rules.ts';
import { languageOf, languageTag } from './language.ts';
import { nameProblem, PLATFORM_SEGMENTS } from './snippet-name.ts';
import { decodeSegment, splitPath } from './split-path.ts';

const names = new Set(['a', 'a/b', 'chains', 'chains/1.x', 'x/y/z']);
const split = (path: string, mayHaveLanguage: boolean) => {
  const parts = splitPath((name) => names.has(name), path, mayHaveLanguage);
  return parts && [parts.name, parts.key, parts.language].filter((part) => part !== undefined).join(' | ');
};

describe('the split of a path', () => {
  test.each([
    ['a/k', 'a | k', 'a | k'],
    ['a/b', 'a | b', 'a | b'],
    ['a/b/k', 'a/b | k', 'a/b | k'],
    ['a/k/ru', undefined, 'a | k | ru'],
    ['a/b/k/ru', undefined, 'a/b | k | ru'],
    ['chains/1.x', 'chains | 1.x', 'chains | 1.x'],
    ['chains/1.x/k', 'chains/1.x | k', 'chains/1.x | k'],
    ['chains/1.x/ru', 'chains/1.x | ru', 'chains/1.x | ru'],
    ['x/y/z/k', 'x/y/z | k', 'x/y/z | k'],
    ['x/y/k', undefined, undefined],
    ['a', undefined, undefined],
    ['a/', 'a | ', 'a | '],
    ['', undefined, undefined],
    ['/k', undefined, undefined],
    ['b/k', undefined, undefined],
    ['a/k/ru/more', undefined, undefined],
    ['a/%2F', 'a | %2F', 'a | %2F'],
    ['a%2Fb/k', undefined, undefined],
    ['%61/k', undefined, undefined],
  ])('[F1] "%s" of a PUT is %s, of a GET %s', (path, put, get) => {
    expect([split(path, false), split(path, true)]).toEqual([put, get]);
  });
  test('[F1] the longest name wins, whatever the sections are', () => {
    const segment = fc.constantFrom('a', 'b', 'c');
    const name = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.array(name), fc.array(segment, { minLength: 1, maxLength: 6 }), (known, segments) => {
        const parts = splitPath((one) => known.includes(one), segments.join('/'), true);
        const lengths = [1, 2].map((rest) => segments.length - rest);
        const best = lengths.find(
          (length) => length > 0 && known.includes(segments.slice(0, length).join('/')),
        );
        expect(parts?.name.split('/').length).toBe(best);
      }),
      { numRuns: 1000 },
    );
  });
  test.each([
    ['%D0%BA%D0%BB%D1%8E%D1%87', 'ключ'],
    ['a%2Fb', 'a/b'],
    ['a%00', 'a\0'],
    ['a+b', 'a+b'],
    ['a%20b', 'a b'],
    ['%', undefined],
    ['%zz', undefined],
    ['%ff', undefined],
    ['%ED%A0%80', undefined],
  ])('[F1] the segment "%s" decodes to %s', (segment, expected) => {
    expect(decodeSegment(segment, 'key').unwrapOr(undefined as never)).toBe(expected);
  });
});

describe('keys', () => {
  test.each([
    ['', false],
    ['a', true],
    ['a'.repeat(512), true],
    ['a'.repeat(513), false],
    ['я'.repeat(256), true],
    [`${'я'.repeat(256)}a`, false],
    ['a/b', true],
    ['.', true],
    ['a\0', false],
    ['\ud800', false],
    ['😀'.repeat(128), true],
  ])('[F1] the key %j is allowed: %s', (key, allowed) => {
    expect(checkedKey(key, 512).isOk()).toBe(allowed);
  });
});

describe('languages', () => {
  test.each([
    ['ru', 'ru'],
    ['EN_us', 'en-us'],
    ['zh-Hant-TW', 'zh-hant-tw'],
    ['x-private', 'x-private'],
    ['i-klingon', 'i-klingon'],
    ['r', undefined],
    ['', undefined],
    ['ru-', undefined],
    ['-ru', undefined],
    ['ru--en', undefined],
    ['abcdefgh', 'abcdefgh'],
    ['abcdefghi', undefined],
    ['ru-abcdefghi', undefined],
    ['ру', undefined],
    ['ru/en', undefined],
    ['x', undefined],
    [`en-${'abcdefg-'.repeat(7)}abcde`, `en-${'abcdefg-'.repeat(7)}abcde`],
    [`en-${'abcdefg-'.repeat(7)}abcdef`, undefined],
  ])('[F1] the language %j is stored as %j', (text, tag) => {
    expect(languageTag(text)).toBe(tag);
  });
  test.each([
    [undefined, ''],
    ['', ''],
    [' ru ', 'ru'],
    ['ru, en', 'SeveralLanguages'],
    ['r', 'BadLanguage'],
  ])('[F5] the header Content-Language %j gives %j', (header, expected) => {
    const found = languageOf(header, 'Content-Language').match(
      (tag) => tag,
      ({ violations }) => violations[0]!.code,
    );
    expect(found).toBe(expected);
  });
});

describe('content types', () => {
  test.each([
    ['json', ['json'], 'json'],
    ['application/json', ['json'], 'json'],
    ['Application/JSON; charset=utf-8', ['json'], 'json'],
    ['pb', ['pb'], 'pb'],
    ['application/x-protobuf', ['json', 'pb'], 'pb'],
    ['pb', ['json'], undefined],
    [undefined, ['json'], undefined],
    [undefined, ['pb'], undefined],
    [undefined, ['raw'], 'raw'],
    [undefined, ['raw', 'json'], undefined],
    ['text/html', ['raw'], 'raw'],
    ['text/html', ['raw', 'json'], undefined],
    ['text/plain', ['raw', 'json'], 'raw'],
    ['json', ['raw'], undefined],
    ['__proto__', ['json'], undefined],
    ['  json ; charset=utf-8', ['json'], 'json'],
    ['', ['json'], undefined],
  ] as const)('[F1] Content-Type %j where %j is accepted is %j', (type, accepted, format) => {
    expect(formatOfType(type, accepted)).toBe(format);
  });
  test('[F1] the list of accepted types names those of the format only', () => {
    expect(contentTypesOf('pb')).toEqual(['pb', 'application/x-protobuf', 'application/protobuf']);
    expect(contentTypesOf('raw')).toEqual(['raw', 'application/octet-stream', 'text/plain']);
  });
});

describe('names', () => {
  test.each([
    ['a', true],
    ['a/b.c/1_x', true],
    ['chains/1.x', true],
    ['...', true],
    ['', false],
    ['A', false],
    ['a/', false],
    ['/a', false],
    ['a-b', false],
    ['.', false],
    ['a/..', false],
    ['a'.repeat(512), true],
    ['a'.repeat(513), false],
  ])('[F1] the name "%s" is allowed: %s', (name, allowed) => {
    expect(nameProblem(name) === undefined).toBe(allowed);
  });
  test('[F1] first segments of the platform stand in one list', () => {
    expect(PLATFORM_SEGMENTS).toEqual(expect.arrayContaining(['photos', 'v1', 'api', 'metrics', 'readyz']));
  });
});

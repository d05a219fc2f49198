import { describe, expect, test } from 'vitest';
import { anyPrefix, configText, rootDefaults, type PlainSection } from '../testing/config-text.ts';
import { compileConfig, storedSections } from './compile-config.ts';
import type { KnownParts } from './known-parts.ts';
import type { OwnOptions } from './options.ts';
import { describeMistake, type ConfigMistake } from './section.ts';
import type { SnippetConfig } from './snippet-config.ts';

const known: KnownParts = {
  hasService: (name) => name === 'snippets',
  hasSchema: (name) => name === 'place',
  hasValidator: (name) => name === 'phone',
  convertor: (name) =>
    name === 'to_pb'
      ? { conversions: [{ from: 'json', to: 'pb' }] }
      : name === 'translate'
        ? { conversions: [{ from: 'json', to: 'json' }], languages: ['ru', 'en'] }
        : undefined,
  extractor: (name) => (name === 'id' ? { formats: ['json'] } : undefined),
};
const compile = (text: string, prefixes = anyPrefix, sharesRootPath = true) =>
  compileConfig(text, { known, prefixes, sharesRootPath });
const mistakesOf = (text: string): readonly ConfigMistake[] =>
  compile(text).match(
    () => [],
    ({ mistakes }) => mistakes,
  );
const withLeaf = (options: OwnOptions): string => configText(rootDefaults, [{ name: 'leaf', options }]);
const right = (sections: readonly PlainSection[], root: OwnOptions = rootDefaults): SnippetConfig =>
  compile(configText(root, sections))._unsafeUnwrap();

describe('a wrong config', () => {
  test.each([
    ['an unknown service', { Service: 'nope' }, 'UnknownName'],
    ['an unknown schema of inputs', { InputJsonSchema: 'nope' }, 'UnknownName'],
    ['an unknown validator', { SpecialValidator: 'nope' }, 'UnknownName'],
    ['an unknown convertor', { SpecialConvertor: 'nope' }, 'UnknownName'],
    ['an unknown extractor', { KeyExtractor: 'nope' }, 'UnknownName'],
    [
      'an unknown schema of outputs',
      { OutputJsonSchema: 'nope', SpecialConvertor: 'translate' },
      'UnknownName',
    ],
    ['two inputs without a convertor', { Input: ['json', 'pb'] }, 'NoConvertor'],
    ['an input that differs from Output without a convertor', { Input: ['pb'] }, 'NoConvertor'],
    [
      'a conversion that the convertor does not declare',
      { Output: 'pb', Input: ['raw'], SpecialConvertor: 'to_pb' },
      'NotConvertible',
    ],
    [
      'one of two conversions not declared',
      { Output: 'pb', Input: ['json', 'pb'], SpecialConvertor: 'to_pb' },
      'NotConvertible',
    ],
    ['languages without a convertor', { OutputLanguages: ['ru'] }, 'NoConvertor'],
    [
      'a language that the convertor does not declare',
      { OutputLanguages: ['ru', 'tr'], SpecialConvertor: 'translate' },
      'NotConvertible',
    ],
    [
      'a convertor without languages',
      { Output: 'pb', Input: ['json'], OutputLanguages: ['ru'], SpecialConvertor: 'to_pb' },
      'NotConvertible',
    ],
    ['a language that is no tag', { OutputLanguages: ['r!'], SpecialConvertor: 'translate' }, 'BadLanguage'],
    ['a language twice', { OutputLanguages: ['en', 'EN'], SpecialConvertor: 'translate' }, 'BadLanguage'],
    [
      'Input and InputSameAsOutput in one section',
      { Input: ['json'], InputSameAsOutput: false },
      'InputTwice',
    ],
    ['no Output', { Output: undefined }, 'Missing'],
    ['no Service', { Service: undefined }, 'Missing'],
    ['no input', { InputSameAsOutput: false }, 'Missing'],
    ['a topic without InputForLB', { InputTopic: 'places', KeyExtractor: 'id' }, 'Missing'],
    ['a topic without KeyExtractor', { InputTopic: 'places', InputForLB: 'json' }, 'Missing'],
    [
      'a topic in a format that the extractor does not read',
      { InputTopic: 'places', InputForLB: 'raw', KeyExtractor: 'id', Output: 'raw' },
      'NotConvertible',
    ],
    [
      'a topic in a format that the section cannot convert',
      { InputTopic: 'places', InputForLB: 'json', KeyExtractor: 'id', Output: 'raw' },
      'NotConvertible',
    ],
    [
      'a topic with a bad name',
      { InputTopic: 'pla ces', InputForLB: 'json', KeyExtractor: 'id' },
      'BadTopic',
    ],
    [
      'the topic of retries',
      { InputTopic: 'snippets-retries', InputForLB: 'json', KeyExtractor: 'id' },
      'BadTopic',
    ],
    [
      'a topic of dead letters',
      { InputTopic: 'places.dead', InputForLB: 'json', KeyExtractor: 'id' },
      'BadTopic',
    ],
    ['a schema of outputs without a convertor', { OutputJsonSchema: 'place' }, 'WrongSchema'],
    [
      'a schema of outputs for pb',
      { OutputJsonSchema: 'place', Output: 'pb', Input: ['json'], SpecialConvertor: 'to_pb' },
      'WrongSchema',
    ],
    ['an entry of Recursive that is no descendant', { Recursive: ['nope'] }, 'NotADescendant'],
  ] as const satisfies readonly (readonly [string, OwnOptions, string])[])(
    '[F2] %s is refused',
    (_name, options, code) => {
      expect(mistakesOf(withLeaf(options)).map((one) => one.code)).toContain(code);
      expect(mistakesOf(withLeaf({}))).toEqual([]);
    },
  );
  test.each([
    ['an option that does not exist', 'Body { Colour: 1 }', 'UnknownOption', 1, 8],
    ['an option twice', 'Body { Service: "a"\n Service: "b" }', 'RepeatedOption', 2, 2],
    ['a value of another type', 'Body { TtlMinutes: "5" }', 'WrongValue', 1, 20],
    ['a number that is too large', 'Body { TtlMinutes: 4294967296 }', 'WrongValue', 1, 20],
    ['a negative number', 'Body { TtlMinutes: -1 }', 'WrongValue', 1, 20],
    ['an unknown format', 'Body { Output: xml }', 'WrongValue', 1, 16],
    ['a format by a number that no format has', 'Body { Output: 4 }', 'WrongValue', 1, 16],
    ['a list for a single option', 'Body { Service: ["a"] }', 'WrongValue', 1, 8],
    ['no colon', 'Body { Service "a" }', 'WrongValue', 1, 8],
    ['a section that is a number', 'Body { Section: 5 }', 'WrongValue', 1, 17],
    ['a name at the root', 'Name: "root"', 'BadName', 1, 1],
    ['a section without a name', 'Body { Section { Body {} } }', 'BadName', 1, 16],
    ['capital letters', 'Body { Section { Name: "Geo" } }', 'BadName', 1, 16],
    ['a segment of two dots', 'Body { Section { Name: "a/../b" } }', 'BadName', 1, 16],
    ['a segment of one dot', 'Body { Section { Name: "./b" } }', 'BadName', 1, 16],
    ['an empty segment', 'Body { Section { Name: "a//b" } }', 'BadName', 1, 16],
    ['a section twice', 'Body { Section { Name: "a" }\n\n  Section { Name: "a" } }', 'DuplicateName', 3, 11],
    [
      'a section twice by a slash',
      'Body { Section { Name: "a/b" } Section { Name: "a" Body { Section { Name: "b" } } } }',
      'DuplicateName',
      1,
      67,
    ],
    ['a path of the platform', 'Body { Section { Name: "photos/x" } }', 'PlatformPath', 1, 16],
    ['text that is no config', 'Body { "', 'Unreadable', 1, 8],
    ['a brace that is not closed', 'Body {\n  Section {\n', 'Unreadable', 3, 1],
  ] as const)('[F2] %s is refused with its line and column', (_name, text, code, line, column) => {
    expect(mistakesOf(text).filter((one) => one.code === code)).toContainEqual(
      expect.objectContaining({ code, place: { line, column } }),
    );
  });
  test('[F2] every mistake is listed, in the order of the file, with its section', () => {
    const text = configText({ ...rootDefaults, Service: 'nope' }, [
      {
        name: 'a',
        options: { Input: ['pb'] },
        sections: [{ name: 'b', options: { OutputLanguages: ['ru'] } }],
      },
      { name: 'c', options: { SpecialValidator: 'nope' } },
    ]);
    expect(mistakesOf(text).map(({ section, code }) => `${section} ${code}`)).toEqual([
      ' UnknownName',
      'a/b NoConvertor',
      'a/b NoConvertor',
      'c UnknownName',
    ]);
    const [first] = mistakesOf(text);
    expect(describeMistake(first!)).toBe(
      'line 3, column 3: root section: Service: there is no service "nope"',
    );
  });
  test('[F6] a section without a key prefix is refused, a group that stores nothing needs none', () => {
    const text = configText(rootDefaults, [
      { name: 'g', options: { Recursive: ['a'] }, sections: [{ name: 'a' }] },
    ]);
    const missing = compile(text, new Map())._unsafeUnwrapErr().mistakes;
    expect(missing.map(({ code, section }) => [code, section])).toEqual([['NoPrefix', 'g/a']]);
    expect(compile(text, new Map([['g/a', 1]])).isOk()).toBe(true);
  });
  test('[F2] paths of the platform are free below a path of its own', () => {
    const text = configText(rootDefaults, [{ name: 'photos' }]);
    expect(compile(text, anyPrefix, false).isOk()).toBe(true);
  });
  test('[F2] sections that are never written to need no complete options', () => {
    expect(
      mistakesOf(
        configText({ ChildrenOnly: true }, [{ name: 'g', sections: [{ name: 'x', options: rootDefaults }] }]),
      ),
    ).toEqual([]);
  });
});

describe('a right config', () => {
  test('[F2] becomes a table of sections with everything that a request needs', () => {
    const { sections } = right([
      {
        name: 'place',
        options: { Recursive: ['json', 'pb'], InputJsonSchema: 'place', SpecialValidator: 'phone' },
        sections: [
          { name: 'json', options: { TtlMinutes: 2 } },
          { name: 'pb', options: { Output: 'pb', Input: ['json'], SpecialConvertor: 'to_pb' } },
        ],
      },
    ]);
    expect(sections.get('place')).toMatchObject({
      isLeaf: false,
      inputs: ['json'],
      targets: [{ name: 'place/json' }, { name: 'place/pb' }],
    });
    expect(sections.get('place/json')!.targets).toEqual([
      {
        name: 'place/json',
        service: 'snippets',
        kps: anyPrefix.get('place/json'),
        output: 'json',
        inputs: ['json'],
        inputSchema: 'place',
        outputSchema: undefined,
        validator: 'phone',
        convertor: undefined,
        languages: undefined,
        ttlMs: 120_000,
      },
    ]);
  });
  test('[F2] a group accepts the formats that all its sections accept', () => {
    const { sections } = right([
      {
        name: 'g',
        options: { Recursive: ['a', 'b'] },
        sections: [{ name: 'a' }, { name: 'b', options: { Output: 'pb' } }],
      },
    ]);
    expect(sections.get('g')!.inputs).toEqual([]);
  });
  test('[F2] the largest TTL is exact', () => {
    const { sections } = right([{ name: 'a', options: { TtlMinutes: 4294967295 } }]);
    expect(sections.get('a')!.targets[0]!.ttlMs).toBe(257_698_037_700_000);
  });
  test('[F8] a section with a topic reads it once, for its group', () => {
    const topic: OwnOptions = {
      InputTopic: 'places',
      InputForLB: 'json',
      KeyExtractor: 'id',
      UploadOverLBRetryCount: 3,
    };
    const { topics } = right([
      { name: 'g', options: { ...topic, Recursive: ['a', 'b'] }, sections: [{ name: 'a' }, { name: 'b' }] },
    ]);
    expect(topics).toEqual([{ section: 'g', topic: 'places', format: 'json', extractor: 'id', retries: 3 }]);
  });
  test('[T6] a written group that can do nothing is a warning, an implied one is not', () => {
    const { warnings, sections } = right([{ name: 'g', sections: [{ name: 'a' }] }, { name: 'h/b' }]);
    expect(warnings.map(({ section }) => section)).toEqual(['g']);
    expect([sections.get('g')!.targets, sections.get('h')!.targets]).toEqual([[], []]);
  });
  test('[F2] a section that hides a key with a language of its group is a warning', () => {
    const { warnings } = right([{ name: 'a', options: { ChildrenOnly: false }, sections: [{ name: 'b' }] }]);
    expect(warnings.map(({ message }) => message)).toEqual([
      'the section "a/b" hides the key "b" with a language',
    ]);
  });
  test('[F6] the sections that need a prefix are those that store snippets', () => {
    const text = configText(rootDefaults, [
      { name: 'g', options: { Recursive: ['a'] }, sections: [{ name: 'a' }] },
      { name: 'both', options: { ChildrenOnly: false }, sections: [{ name: 'x' }] },
    ]);
    expect([...storedSections(text)._unsafeUnwrap()].sort()).toEqual(['both', 'both/x', 'g/a']);
  });
  test('[F2] an empty text is a config without sections', () => {
    expect(compile('')._unsafeUnwrap().sections.size).toBe(0);
  });
});

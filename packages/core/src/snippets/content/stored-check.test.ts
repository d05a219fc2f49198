import { expect, test } from 'vitest';
import type { DataFormat } from '../address/data-format.ts';
import { defaultSnippetSettings } from '../open-snippets.ts';
import { loadConfig } from './load-config.ts';
import { builtInParts } from './built-in-parts.ts';
import { joinParts } from './registry.ts';
import type { JsonSchemas, SnippetParts } from './snippet-parts.ts';
import { makeStoredCheck } from './stored-check.ts';

/** The schema `number` takes numbers, and nothing else. */
const schemas: JsonSchemas = {
  has: (name) => name === 'number',
  violations: (_, value) =>
    typeof value === 'number' ? [] : [{ path: '/', code: 'Type', message: 'a number is expected' }],
};
const own: SnippetParts = {
  validators: {
    throws: {
      make: () => () => {
        throw new Error('a bug');
      },
    },
  },
  convertors: {
    to_json: {
      conversions: [{ from: 'raw', to: 'json' }],
      make: () => () => ({ kind: 'converted', contents: [] }),
    },
  },
};
const parts = joinParts([builtInParts, own])._unsafeUnwrap();
const NAMES = ['plain', 'number', 'filled', 'broken', 'made', 'made_number'];
const text = `Body { Service: "snippets" Output: json InputSameAsOutput: true ChildrenOnly: true
  Section { Name: "plain" }
  Section { Name: "number" Body { InputJsonSchema: "number" } }
  Section { Name: "filled" Body { Output: raw SpecialValidator: "not_empty" } }
  Section { Name: "broken" Body { SpecialValidator: "throws" } }
  Section { Name: "made" Body { Input: raw SpecialConvertor: "to_json" } }
  Section { Name: "made_number" Body { Input: raw SpecialConvertor: "to_json" OutputJsonSchema: "number" } } }`;
const prefixes = new Map(NAMES.map((name, n) => [name, n + 1]));
const loaded = loadConfig({ text, prefixes }, { parts, schemas }, defaultSnippetSettings)._unsafeUnwrap();
const check = makeStoredCheck(loaded, schemas, defaultSnippetSettings);

test.each<[string, DataFormat, string, readonly string[]]>([
  ['plain', 'json', '{"a":1}', []],
  ['plain', 'raw', '{"a":1}', ['OtherFormat']],
  ['plain', 'json', '{', ['NotJson']],
  ['number', 'json', '1', []],
  ['number', 'json', '"1"', ['Type']],
  ['filled', 'raw', 'x', []],
  ['filled', 'raw', '', ['Missing']],
  ['broken', 'json', '1', ['PartFailed']],
  ['made', 'json', '"anything"', []],
  ['made', 'pb', '', ['OtherFormat']],
  ['made_number', 'json', '1', []],
  ['made_number', 'json', '"1"', ['Type']],
  ['made_number', 'json', '{', ['NotJson']],
])('[F10] of a snippet of %s, stored as %s %j, a dry run says %j', async (name, format, content, codes) => {
  const leaf = loaded.config.sections.get(name)!.targets[0]!;
  const stored = { key: 'k', language: '', content: { format, bytes: new TextEncoder().encode(content) } };
  expect((await check(leaf, stored)).map(({ code }) => code)).toEqual(codes);
});

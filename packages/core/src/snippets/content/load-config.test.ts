import { expect, test } from 'vitest';
import { anyPrefix } from '../testing/config-text.ts';
import { defaultSnippetSettings } from '../open-snippets.ts';
import { describeMistake } from '../config/section.ts';
import { loadConfig } from './load-config.ts';
import { joinParts } from './registry.ts';
import { noSchemas, type SnippetParts } from './snippet-parts.ts';

const fails = (name: string) => ({
  make: (section: { readonly name: string }): never => {
    throw new Error(`${name} has no data for ${section.name}`);
  },
});
const parts: SnippetParts = {
  validators: { v: fails('v'), fine: { make: () => () => [] } },
  convertors: { c: { conversions: [{ from: 'json', to: 'json' }], ...fails('c') } },
  extractors: { e: { formats: ['json'], ...fails('e') } },
};
const load = (text: string) =>
  loadConfig(
    {
      text: `Body { Service: "snippets" Output: json InputSameAsOutput: true ${text} }`,
      prefixes: anyPrefix,
    },
    { parts: joinParts([parts])._unsafeUnwrap(), schemas: noSchemas },
    defaultSnippetSettings,
  );
const mistakesOf = (text: string) => load(text)._unsafeUnwrapErr().mistakes.map(describeMistake);

test('[F4] every part that throws when it is made is a mistake at the option that names it', () => {
  const text = `
    Section { Name: "a" Body { SpecialValidator: "v"
      SpecialConvertor: "c" } }
    Section { Name: "b" Body { SpecialValidator: "fine" InputTopic: "t" InputForLB: json KeyExtractor: "e" } }`;
  expect(mistakesOf(text)).toEqual([
    'line 2, column 32: section "a": SpecialValidator: "v" failed when it was made for this section: v has no data for a',
    'line 3, column 7: section "a": SpecialConvertor: "c" failed when it was made for this section: c has no data for a',
    'line 4, column 90: section "b": KeyExtractor: "e" failed when it was made for this section: e has no data for b',
  ]);
});
test('[F4] a part that is inherited is made once for each section that stores snippets', () => {
  const text = `ChildrenOnly: true SpecialValidator: "v" Section { Name: "g" Body { Recursive: ["x", "y"]
    Section { Name: "x" } Section { Name: "y" } } }`;
  expect(mistakesOf(text).map((line) => /section "(.*?)"/.exec(line)![1])).toEqual(['g/x', 'g/y']);
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyOptions, anySections } from '../testing/config.arbitraries.ts';
import { configText, type PlainSection } from '../testing/config-text.ts';
import { explainSection } from './explain.ts';
import { OPTION_NAMES, OPTIONS, type OptionName, type OwnOptions } from './options.ts';
import { readConfig } from './read-config.ts';
import { sectionTree, type SectionTree } from './section-tree.ts';

const treeOf = (root: OwnOptions, sections: readonly PlainSection[]): SectionTree => {
  const { tree, mistakes } = sectionTree(readConfig(configText(root, sections))._unsafeUnwrap(), true);
  expect(mistakes).toEqual([]);
  return tree;
};
const valuesOf = (tree: SectionTree, name: string): Record<string, unknown> => {
  const { options } = tree.get(name)!;
  return Object.fromEntries(OPTION_NAMES.map((option) => [option, options[option]?.value]));
};

/** The model: looks up each option in the section and then in its ancestors, the nearest first. */
const setterOf = (
  own: ReadonlyMap<string, OwnOptions>,
  name: string,
  option: OptionName,
): string | undefined => {
  const isInput = option === 'Input' || option === 'InputSameAsOutput';
  const parts = name === '' ? [] : name.split('/');
  for (let length = parts.length; length >= 0; length--) {
    const at = parts.slice(0, length).join('/');
    const options = own.get(at) ?? {};
    if (option in options) return at;
    if (isInput && ('Input' in options || 'InputSameAsOutput' in options)) return undefined;
    if (!OPTIONS[option].inherited) return undefined;
  }
  return undefined;
};
const ownOf = (root: OwnOptions, sections: readonly PlainSection[]): ReadonlyMap<string, OwnOptions> =>
  new Map([['', root], ...sections.map(({ name, options }) => [name, options!] as const)]);

describe('options of sections', () => {
  test('[F2] what holds in a section equals looking through its ancestors, the nearest first', () => {
    fc.assert(
      fc.property(anyOptions, anySections, (root, sections) => {
        const tree = treeOf(root, sections);
        const own = ownOf(root, sections);
        // One comparison for each section: thousands of small ones take most of the time.
        for (const name of tree.keys()) {
          const expected = OPTION_NAMES.map((option) => {
            const setter = setterOf(own, name, option);
            return [option, setter === undefined ? undefined : own.get(setter)![option]] as const;
          });
          expect(valuesOf(tree, name), name).toEqual(Object.fromEntries(expected));
        }
      }),
      { numRuns: 1000 },
    );
  });
  test('[F10] explain names the section that sets each option', () => {
    fc.assert(
      fc.property(anyOptions, anySections, (root, sections) => {
        const tree = treeOf(root, sections);
        const own = ownOf(root, sections);
        const options = new Map([...tree].map(([name, node]) => [name, node.options]));
        for (const name of tree.keys()) {
          const explained = explainSection({ options }, name)!;
          const told = explained.map(({ option, from, place }) => [option, from, place !== undefined]);
          const expected = explained.map(({ option }) => {
            const setter = setterOf(own, name, option);
            return [option, setter, setter !== undefined];
          });
          expect(told, name).toEqual(expected);
        }
      }),
      { numRuns: 1000 },
    );
  });
  test('[F2] the order of sections in the file does not matter', () => {
    fc.assert(
      fc.property(
        anyOptions,
        anySections.chain((sections) =>
          fc.tuple(fc.constant(sections), fc.shuffledSubarray([...sections], { minLength: sections.length })),
        ),
        (root, [sections, shuffled]) => {
          const one = treeOf(root, sections);
          const other = treeOf(root, shuffled);
          expect([...other.keys()].sort()).toEqual([...one.keys()].sort());
          for (const name of one.keys()) expect(valuesOf(other, name)).toEqual(valuesOf(one, name));
        },
      ),
      { numRuns: 1000 },
    );
  });
  test('[F2] a nested section and a name with slashes are the same section', () => {
    const options: OwnOptions = { Output: 'pb' };
    const nested = treeOf({}, [{ name: 'a', sections: [{ name: 'b', options }] }]);
    const flat = treeOf({}, [{ name: 'a/b', options }]);
    expect(valuesOf(flat, 'a/b')).toEqual(valuesOf(nested, 'a/b'));
    expect([flat.get('a')!.isWritten, nested.get('a')!.isWritten]).toEqual([false, true]);
  });
  test.each([
    { first: 'a/b', second: 'a' },
    { first: 'a', second: 'a/b' },
  ])(
    '[F2] "$first" before "$second": the implied section and the written one are one',
    ({ first, second }) => {
      const options = { a: { Output: 'pb' }, 'a/b': { TtlMinutes: 5 } } as const;
      const written = [first, second].map((name) => ({ name, options: options[name as 'a'] }));
      const tree = treeOf({ Output: 'json' }, written);
      expect(tree.get('a/b')!.options).toMatchObject({
        Output: { value: 'pb', from: 'a' },
        TtlMinutes: { value: 5 },
      });
      expect(tree.get('a')).toMatchObject({ isWritten: true, children: ['a/b'] });
    },
  );
  test('[F2] Recursive and InputTopic are not inherited', () => {
    const group: OwnOptions = { Recursive: ['b'], InputTopic: 'places', KeyExtractor: 'id' };
    const { options } = treeOf({}, [{ name: 'a', options: group, sections: [{ name: 'b' }] }]).get('a/b')!;
    expect(Object.keys(options)).toEqual(['KeyExtractor']);
  });
  test.each([
    { option: 'TtlMinutes', above: 7, cleared: undefined },
    { option: 'SpecialValidator', above: 'phone', cleared: undefined },
    { option: 'OutputLanguages', above: ['ru', 'en'], cleared: undefined },
    { option: 'Output', above: 'json', cleared: undefined },
  ] as const)('[F2] an empty value or 0 clears an inherited $option', ({ option, above, cleared }) => {
    const tree = treeOf({ [option]: above }, [{ name: 'a', options: { [option]: cleared } }, { name: 'b' }]);
    expect(tree.get('a')!.options[option]).toMatchObject({ value: undefined, from: 'a' });
    expect(tree.get('b')!.options[option]).toMatchObject({ value: above, from: '' });
  });
  test('[F2] a list replaces the list above it, and an empty list changes nothing', () => {
    const text = `Body { OutputLanguages: ["ru", "en"]
      Section { Name: "a" Body { OutputLanguages: "tr" OutputLanguages: "de" } }
      Section { Name: "b" Body { OutputLanguages: [] } } }`;
    const { tree } = sectionTree(readConfig(text)._unsafeUnwrap(), true);
    expect(tree.get('a')!.options.OutputLanguages?.value).toEqual(['tr', 'de']);
    expect(tree.get('b')!.options.OutputLanguages?.value).toEqual(['ru', 'en']);
  });
  test.each([
    { root: { Input: ['pb'] }, own: { InputSameAsOutput: true }, input: undefined, same: true },
    { root: { InputSameAsOutput: true }, own: { Input: ['pb'] }, input: ['pb'], same: undefined },
    { root: { InputSameAsOutput: true }, own: {}, input: undefined, same: true },
    { root: { Input: ['pb'] }, own: {}, input: ['pb'], same: undefined },
  ] as const)(
    '[F2] the nearest of Input and InputSameAsOutput decides: $root, then $own',
    ({ root, own, input, same }) => {
      const { options } = treeOf(root, [{ name: 'a', options: own }]).get('a')!;
      expect([options.Input?.value, options.InputSameAsOutput?.value]).toEqual([input, same]);
    },
  );
});

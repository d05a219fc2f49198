import { describe, expect, test } from 'vitest';
import { configText, type PlainSection } from '../testing/config-text.ts';
import { readConfig } from './read-config.ts';
import { sectionTree } from './section-tree.ts';
import { targetsOf } from './targets.ts';

const targets = (name: string, sections: readonly PlainSection[], childrenOnly = true): readonly string[] => {
  const text = configText({ ChildrenOnly: childrenOnly }, sections);
  return targetsOf(sectionTree(readConfig(text)._unsafeUnwrap(), true).tree, name);
};
const group = (options: PlainSection['options'] = {}): readonly PlainSection[] => [
  { name: 'g', options, sections: [{ name: 'a' }, { name: 'b' }, { name: 'c/d' }] },
];

describe('the sections that an operation runs on', () => {
  test.each([true, false])('[T6] a leaf is itself, with ChildrenOnly = %s', (childrenOnly) => {
    expect(targets('leaf', [{ name: 'leaf' }], childrenOnly)).toEqual(['leaf']);
    expect(targets('leaf', [{ name: 'leaf', options: { ChildrenOnly: childrenOnly } }])).toEqual(['leaf']);
  });
  test.each([
    { childrenOnly: true, recursive: undefined, expected: [] },
    { childrenOnly: true, recursive: ['a'], expected: ['g/a'] },
    { childrenOnly: true, recursive: ['b', 'a'], expected: ['g/a', 'g/b'] },
    { childrenOnly: false, recursive: undefined, expected: ['g'] },
    { childrenOnly: false, recursive: ['b'], expected: ['g', 'g/b'] },
  ])('[T6] a group with ChildrenOnly = $childrenOnly and Recursive = $recursive: $expected', (one) => {
    const options = { ChildrenOnly: one.childrenOnly, ...(one.recursive && { Recursive: one.recursive }) };
    expect(targets('g', group(options))).toEqual(one.expected);
  });
  test('[F3] [T6] a group in Recursive acts by its own rule', () => {
    const inner = {
      name: 'inner',
      options: { ChildrenOnly: false, Recursive: ['x'] },
      sections: [{ name: 'x' }, { name: 'y' }],
    };
    const sections = [{ name: 'g', options: { Recursive: ['inner'] }, sections: [inner] }];
    expect(targets('g', sections)).toEqual(['g/inner', 'g/inner/x']);
  });
  test('[F3] an entry may name a deeper descendant, past a group that can do nothing', () => {
    expect(targets('g', group({ Recursive: ['c/d'] }))).toEqual(['g/c/d']);
    expect(targets('g', group({ Recursive: ['c'] }))).toEqual([]);
  });
  test('[F3] a section that is reached twice stands once', () => {
    const inner = { name: 'inner', options: { Recursive: ['x'] }, sections: [{ name: 'x' }] };
    const sections = [{ name: 'g', options: { Recursive: ['inner', 'inner/x'] }, sections: [inner] }];
    expect(targets('g', sections)).toEqual(['g/inner/x']);
  });
  test('[F3] a section that is not in Recursive is left alone', () => {
    expect(targets('g', group({ Recursive: ['a'] }))).not.toContain('g/b');
  });
});

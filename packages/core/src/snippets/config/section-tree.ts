import { isPlatformSegment, joinName, nameProblem, parentOf } from '../address/snippet-name.ts';
import type { Place } from '../text-format/source.ts';
import { inherit, type EffectiveOptions } from './effective.ts';
import type { OwnOptions } from './options.ts';
import type { ConfigMistake, WrittenSection } from './section.ts';

/** A section with its absolute name. An implied one stands only in the names of others. */
export type SectionNode = {
  readonly name: string;
  readonly isWritten: boolean;
  readonly place: Place;
  readonly own: OwnOptions;
  readonly options: EffectiveOptions;
  /** Absolute names of its direct children, sorted. */
  readonly children: readonly string[];
};
export type SectionTree = ReadonlyMap<string, SectionNode>;

type Found = { readonly written: WrittenSection | undefined; readonly place: Place };
const NOTHING: WrittenSection = {
  name: '',
  place: { line: 1, column: 1 },
  options: {},
  places: {},
  sections: [],
};

class Unfolding {
  readonly found = new Map<string, Found>();
  readonly mistakes: ConfigMistake[] = [];

  add(written: WrittenSection, parent: string): void {
    const say = (code: 'BadName' | 'DuplicateName', section: string, message: string): void =>
      void this.mistakes.push({ code, section, place: written.place, message });
    const problem = nameProblem(written.name);
    if (problem !== undefined) return say('BadName', parent, `the name "${written.name}": ${problem}`);
    const name = joinName(parent, written.name);
    const long = nameProblem(name);
    if (long !== undefined) return say('BadName', name.slice(0, 100), long);
    const before = this.found.get(name)?.written;
    if (before) return say('DuplicateName', name, `the section is also written in line ${before.place.line}`);
    this.found.set(name, { written, place: written.place });
    for (let above = parentOf(name); above !== ''; above = parentOf(above))
      if (!this.found.has(above)) this.found.set(above, { written: undefined, place: written.place });
    for (const child of written.sections) this.add(child, name);
  }
}

const firstOf = (name: string): string => name.split('/', 1)[0]!;
const platformMistakes = (names: readonly (readonly [string, Found])[]): readonly ConfigMistake[] =>
  names
    .filter(([name, { written }]) => written && isPlatformSegment(firstOf(name)))
    .map(([name, { place }]) => ({
      code: 'PlatformPath' as const,
      section: name,
      place,
      message: `paths that begin with "/${firstOf(name)}" belong to the platform`,
    }));

/**
 * Unfolds names with slashes into a tree and resolves the options of every section from its ancestors. A section that
 * is implied by a longer name and also written is one section; the order in the file does not matter.
 */
export const sectionTree = (
  root: WrittenSection,
  /** False if the sections stand below a path of their own. */
  sharesRootPath: boolean,
): { readonly tree: SectionTree; readonly mistakes: readonly ConfigMistake[] } => {
  const unfolding = new Unfolding();
  const { found, mistakes } = unfolding;
  if (root.name !== '')
    mistakes.push({
      code: 'BadName',
      section: '',
      place: root.place,
      message: 'the root section has no name',
    });
  for (const section of root.sections) unfolding.add(section, '');

  const names = [...found].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  if (sharesRootPath) mistakes.push(...platformMistakes(names));
  const children = new Map<string, string[]>();
  for (const [name] of names) {
    const siblings = children.get(parentOf(name));
    if (siblings) siblings.push(name);
    else children.set(parentOf(name), [name]);
  }
  const tree = new Map<string, SectionNode>();
  const resolve = (name: string, { written, place }: Found, above: EffectiveOptions): void => {
    const { options, places } = written ?? NOTHING;
    const effective = inherit(above, { name, options, places });
    const below = children.get(name) ?? [];
    tree.set(name, {
      name,
      isWritten: written !== undefined,
      place,
      own: options,
      options: effective,
      children: below,
    });
    for (const child of below) resolve(child, found.get(child)!, effective);
  };
  resolve('', { written: root, place: root.place }, {});
  return { tree, mistakes };
};

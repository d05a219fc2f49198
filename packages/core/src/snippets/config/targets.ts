import { joinName } from '../address/snippet-name.ts';
import type { SectionNode, SectionTree } from './section-tree.ts';

/** Whether a snippet can be stored in the section itself. `ChildrenOnly` has no meaning without children. */
export const isStored = ({ name, children, options }: SectionNode): boolean =>
  name !== '' && (children.length === 0 || options.ChildrenOnly?.value !== true);

/**
 * The sections that an operation runs on (table T6): the section itself if it is stored, and the targets of each section in
 * its `Recursive`. Each stands once, in the order of names. Entries that name no descendant are skipped: they are mistakes.
 */
export const targetsOf = (tree: SectionTree, name: string): readonly string[] => {
  const targets = new Set<string>();
  const seen = new Set<string>();
  const visit = (at: string): void => {
    const node = tree.get(at);
    if (!node || seen.has(at)) return;
    seen.add(at);
    if (isStored(node)) targets.add(at);
    for (const entry of node.options.Recursive?.value ?? []) visit(joinName(at, entry));
  };
  visit(name);
  return [...targets].sort();
};

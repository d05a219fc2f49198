import { err, ok, type Result } from 'neverthrow';
import { checkLeaf } from './check-leaf.ts';
import { checkOwnValues, type Say } from './check-names.ts';
import { checkTopic } from './check-topic.ts';
import type { KnownParts } from './known-parts.ts';
import { readConfig } from './read-config.ts';
import { wrongConfig, type ConfigMistake, type WrongConfig } from './section.ts';
import { sectionTree, type SectionNode, type SectionTree } from './section-tree.ts';
import type { ConfiguredSection, Leaf, SnippetConfig, TopicInput } from './snippet-config.ts';
import { isStored, targetsOf } from './targets.ts';

export type CompileNeeds = {
  readonly known: KnownParts;
  /** The key prefix of each section that has one. */
  readonly prefixes: ReadonlyMap<string, number>;
  /** False if the sections stand below a path of their own, where they can't hide the platform's paths. */
  readonly sharesRootPath: boolean;
};

const byPlace = (a: ConfigMistake, b: ConfigMistake): number =>
  a.place.line - b.place.line || a.place.column - b.place.column;

/** A path `/a/b/x` means key `x` of `a/b`, so the key `b` of `a` can't be read with a language. */
const shadowedKeys = ({ name, children, place }: SectionNode): readonly ConfigMistake[] =>
  children.map((child) => ({
    code: 'BadName' as const,
    section: name,
    place,
    message: `the section "${child}" hides the key "${child.slice(name.length + 1)}" with a language`,
  }));
const warningsOf = (node: SectionNode, targets: readonly string[]): readonly ConfigMistake[] => {
  if (node.name === '' || node.children.length === 0) return [];
  if (targets.length > 0) return shadowedKeys(node);
  if (!node.isWritten) return [];
  const message = 'the group can do nothing: it has no Recursive, and ChildrenOnly is true';
  return [{ code: 'Missing', section: node.name, place: node.place, message }];
};

const sectionOf = (node: SectionNode, targets: readonly Leaf[]): ConfiguredSection => ({
  name: node.name,
  isLeaf: node.children.length === 0,
  targets,
  inputs: (targets[0]?.inputs ?? []).filter((format) =>
    targets.every(({ inputs }) => inputs.includes(format)),
  ),
});

const compiled = (tree: SectionTree, needs: CompileNeeds, mistakes: ConfigMistake[]): SnippetConfig => {
  const { known, prefixes } = needs;
  const say: Say = (code, section, place, message) => void mistakes.push({ code, section, place, message });
  const leaves = new Map<string, Leaf>();
  const topics: TopicInput[] = [];
  const warnings: ConfigMistake[] = [];
  const nodes = [...tree.values()];
  for (const node of nodes) {
    checkOwnValues(node, tree, known, say);
    const leaf = isStored(node) ? checkLeaf(node, prefixes.get(node.name), known, say) : undefined;
    if (leaf) leaves.set(node.name, leaf);
  }
  const sections = new Map<string, ConfiguredSection>();
  for (const node of nodes) {
    const targets = targetsOf(tree, node.name);
    warnings.push(...warningsOf(node, targets));
    const topic = checkTopic(node, targets, tree, known, say);
    if (topic) topics.push(topic);
    if (node.name === '') continue;
    const found = targets.map((target) => leaves.get(target)).filter((leaf) => leaf !== undefined);
    sections.set(node.name, sectionOf(node, found));
  }
  const options = new Map(nodes.map((node) => [node.name, node.options]));
  return { sections, topics, warnings: warnings.sort(byPlace), options };
};

/** Reads and checks the text of a config. A wrong one is refused with every mistake that it has. */
export const compileConfig = (text: string, needs: CompileNeeds): Result<SnippetConfig, WrongConfig> =>
  readConfig(text).andThen((root) => {
    const { tree, mistakes: unfolded } = sectionTree(root, needs.sharesRootPath);
    const mistakes = [...unfolded];
    const config = compiled(tree, needs, mistakes);
    return mistakes.length > 0 ? err(wrongConfig(mistakes.sort(byPlace))) : ok(config);
  });

/** The sections that store snippets and so need a key prefix, in the order of their names. */
export const storedSections = (text: string): Result<readonly string[], WrongConfig> =>
  readConfig(text).andThen((root) => {
    const { tree, mistakes } = sectionTree(root, false);
    if (mistakes.length > 0) return err(wrongConfig(mistakes));
    return ok([...tree.values()].filter(isStored).map(({ name }) => name));
  });

import { err, ok, type Result } from 'neverthrow';
import { textViolations } from '../../kernel/index.ts';
import type { Attribute, AttributeId } from './attribute.ts';
import type { CatalogContent } from './catalog.ts';
import type { Category, CategoryId } from './category.ts';
import { narrow, widest, type EffectiveAttribute } from './effective.ts';
import { spellings, type Names } from './names.ts';

export type MistakeCode =
  | 'NoRoot'
  | 'SeveralRoots'
  | 'UnknownParent'
  | 'Cycle'
  | 'DuplicateId'
  | 'BadId'
  | 'BadName'
  | 'NameMissing'
  | 'NameClash'
  | 'UnknownAttribute'
  | 'DuplicateUse'
  | 'EmptyDictionary'
  | 'EmptyRange'
  | 'Widening'
  | 'BadFeed'
  | 'TooDeep';
/** One broken rule; `path` leads to it (`categories/cars/attributes/mileage/min`). */
export type CatalogMistake = { readonly code: MistakeCode; readonly path: string; readonly message: string };
export type BrokenCatalog = { readonly kind: 'BrokenCatalog'; readonly mistakes: readonly CatalogMistake[] };

export const DEPTH_MAX = 12;
/** Characters of an id and of a name; the same for categories, attributes and values. */
export const CATALOG_ID_CHARS_MAX = 100;
export const CATALOG_NAME_CHARS_MAX = 200;

type Say = (code: MistakeCode, path: string, message: string) => void;

const duplicates = <T>(items: readonly T[]): readonly T[] =>
  items.filter((item, i) => items.indexOf(item) !== i);
const duplicateIds = (ids: readonly string[], where: string, say: Say): void => {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) say('DuplicateId', `${where}/${id}`, `${id} is there twice`);
    seen.add(id);
  }
};
/** Things that stand side by side must be told apart by each of their spellings. */
const clashes = (
  named: readonly { readonly id: string; readonly names: Names }[],
  where: string,
  say: Say,
): void => {
  const owners = new Map<string, string>();
  for (const { id, names } of named) {
    for (const spelling of spellings(names)) {
      const owner = owners.get(spelling);
      if (owner !== undefined && owner !== id)
        say('NameClash', `${where}/${id}`, `«${spelling}» is also a name of ${owner}`);
      else owners.set(spelling, id);
    }
  }
};
const badId = (id: string, where: string, say: Say): void => {
  for (const { message } of textViolations('', id, { charsMin: 1, charsMax: CATALOG_ID_CHARS_MAX }))
    say('BadId', where, message);
};
const nameless = (names: Names, where: string, say: Say): void => {
  for (const spelling of spellings(names))
    for (const { message } of textViolations('', spelling, { charsMax: CATALOG_NAME_CHARS_MAX }))
      say('BadName', `${where}/names`, message);
  for (const language of ['ru', 'en'] as const)
    if (names[language].trim() === '') say('NameMissing', `${where}/names/${language}`, 'a name is missing');
};

const checkAttribute = ({ id, names, type }: Attribute, say: Say): void => {
  const where = `attributes/${id}`;
  badId(id, where, say);
  nameless(names, where, say);
  if (
    type.kind === 'number' &&
    type.range.min !== undefined &&
    type.range.max !== undefined &&
    type.range.min > type.range.max
  )
    say('EmptyRange', where, `${type.range.min} is above ${type.range.max}`);
  if (type.kind !== 'dictionary') return;
  if (type.values.length === 0) say('EmptyDictionary', where, 'a dictionary without values');
  duplicateIds(
    type.values.map((value) => value.id),
    `${where}/values`,
    say,
  );
  for (const value of type.values) {
    badId(value.id, `${where}/values/${value.id}`, say);
    nameless(value.names, `${where}/values/${value.id}`, say);
  }
  clashes(
    type.values.filter((value) => !value.retired),
    `${where}/values`,
    say,
  );
};

type Tree = { readonly byId: ReadonlyMap<CategoryId, Category>; readonly sound: readonly Category[] };
/** The categories whose way up ends at the root, parents before their children. */
const checkTree = (categories: readonly Category[], say: Say): Tree => {
  const byId = new Map(categories.map((category) => [category.id, category]));
  const roots = categories.filter(({ parent }) => parent === undefined);
  if (roots.length === 0) say('NoRoot', 'categories', 'no category is without a parent');
  for (const { id } of roots.slice(1))
    say('SeveralRoots', `categories/${id}`, `a second root besides ${roots[0]?.id ?? ''}`);
  const depths = new Map<CategoryId, number | 'lost'>();
  /** Walks up to a category whose depth is known. Each category is walked through once: a chain may be very long. */
  const findDepth = (category: Category): void => {
    const way: Category[] = [];
    const seen = new Set<CategoryId>();
    let depth: number | 'lost' = -1;
    for (let at: Category | undefined = category; at;) {
      const known = depths.get(at.id);
      if (known !== undefined) {
        depth = known;
        break;
      }
      way.push(at);
      seen.add(at.id);
      if (at.parent === undefined) break;
      const parent = byId.get(at.parent);
      if (!parent) say('UnknownParent', `categories/${at.id}/parent`, `there is no category ${at.parent}`);
      else if (seen.has(parent.id))
        say('Cycle', `categories/${at.id}/parent`, `${parent.id} is below ${at.id}`);
      if (!parent || seen.has(parent.id)) depth = 'lost';
      at = depth === 'lost' ? undefined : parent;
    }
    for (const one of way.reverse()) {
      depth = depth === 'lost' ? depth : depth + 1;
      depths.set(one.id, depth);
    }
  };
  for (const category of categories) {
    findDepth(category);
    const depth = depths.get(category.id) ?? 'lost';
    if (depth !== 'lost' && depth > DEPTH_MAX)
      say('TooDeep', `categories/${category.id}`, `more than ${DEPTH_MAX} levels`);
  }
  const levels = (category: Category): number => Number(depths.get(category.id));
  const sound = categories
    .filter(({ id }) => depths.get(id) !== 'lost')
    .sort((a, b) => levels(a) - levels(b));
  return { byId, sound };
};

/** Folds each category on its parent's attributes, telling what does not fit. */
const checkUses = ({ sound }: Tree, attributes: ReadonlyMap<AttributeId, Attribute>, say: Say): void => {
  const effective = new Map<CategoryId, ReadonlyMap<AttributeId, EffectiveAttribute>>();
  for (const { id, parent, attributes: uses, retired } of sound) {
    const here = new Map(parent === undefined ? [] : effective.get(parent));
    const where = `categories/${id}/attributes`;
    for (const double of duplicates(uses.map((use) => use.attribute)))
      say('DuplicateUse', `${where}/${double}`, 'used twice in one category');
    for (const use of uses) {
      const attribute = attributes.get(use.attribute);
      if (!attribute) {
        say('UnknownAttribute', `${where}/${use.attribute}`, 'there is no such attribute');
        continue;
      }
      const narrowed = narrow(here.get(use.attribute) ?? widest(attribute, id), use);
      if (narrowed.isOk()) here.set(use.attribute, narrowed.value);
      else
        for (const { field, message } of narrowed.error)
          say('Widening', `${where}/${use.attribute}/${field}`, message);
    }
    effective.set(id, here);
    if (!retired)
      clashes(
        [...here.values()].map(({ attribute }) => attribute).filter((attribute) => !attribute.retired),
        where,
        say,
      );
  }
};

/** A standard filter is fed by one attribute, whose values can be chosen. */
const checkFeeds = (attributes: readonly Attribute[], say: Say): void => {
  const feeders = new Map<string, string>();
  for (const { id, feeds, type, filterable, retired } of attributes) {
    if (feeds === undefined || retired) continue;
    const where = `attributes/${id}/feeds`;
    if (type.kind !== 'dictionary')
      say('BadFeed', where, `${feeds} is fed by a dictionary, not a ${type.kind}`);
    if (!filterable) say('BadFeed', where, `an attribute that feeds ${feeds} is filterable`);
    const other = feeders.get(feeds);
    if (other === undefined) feeders.set(feeds, id);
    else say('BadFeed', where, `${other} feeds ${feeds} already`);
  }
};

/** All rules of a catalogue, over all of it; every mistake is listed. */
export const checkCatalog = (content: CatalogContent): Result<CatalogContent, BrokenCatalog> => {
  const mistakes: CatalogMistake[] = [];
  const say: Say = (code, path, message) => void mistakes.push({ code, path, message });
  duplicateIds(
    content.categories.map(({ id }) => id),
    'categories',
    say,
  );
  duplicateIds(
    content.attributes.map(({ id }) => id),
    'attributes',
    say,
  );
  for (const attribute of content.attributes) checkAttribute(attribute, say);
  checkFeeds(content.attributes, say);
  for (const { id, names } of content.categories) {
    badId(id, `categories/${id}`, say);
    nameless(names, `categories/${id}`, say);
  }
  const tree = checkTree(content.categories, say);
  const siblings = new Map<CategoryId, Category[]>();
  for (const category of content.categories) {
    if (category.parent !== undefined && !category.retired)
      siblings.set(category.parent, [...(siblings.get(category.parent) ?? []), category]);
  }
  for (const [parent, children] of siblings) clashes(children, `categories/${parent}/children`, say);
  checkUses(tree, new Map(content.attributes.map((attribute) => [attribute.id, attribute])), say);
  return mistakes.length === 0 ? ok(content) : err({ kind: 'BrokenCatalog', mistakes });
};

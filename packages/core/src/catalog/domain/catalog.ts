import type { Attribute, AttributeId } from './attribute.ts';
import type { Category, CategoryId } from './category.ts';
import { withDefaultFeeds } from './default-feeds.ts';
import { narrow, widest, type EffectiveAttribute } from './effective.ts';
import { DEFAULT_FILTERS, overridden, type StandardFilter } from './standard-filters.ts';

/** What is loaded, stored and sent: everything that ever was, retired things included. */
export type CatalogContent = {
  readonly categories: readonly Category[];
  readonly attributes: readonly Attribute[];
};

/**
 * A version of the catalogue, made for asking. Immutable: its holder sees one version.
 * Made of checked content only (`checkCatalog`); lookups by id answer for retired things too.
 */
export interface Catalog {
  readonly version: number;
  /** As published, and in an old catalogue with the default feeds of filters. */
  readonly content: CatalogContent;
  readonly root: Category;
  category(id: CategoryId): Category | undefined;
  attribute(id: AttributeId): Attribute | undefined;
  /** Children that are not retired, in the order of the content. */
  children(id: CategoryId): readonly Category[];
  /** From the root down to the category itself; empty for an unknown one. */
  path(id: CategoryId): readonly Category[];
  /** What an offer of this category may and must say: the ancestors' words folded from the root down. Retired ones are left out. */
  effectiveAttributes(id: CategoryId): readonly EffectiveAttribute[];
  standardFilters(id: CategoryId): readonly StandardFilter[];
}

const withUse = (
  attributes: ReadonlyMap<AttributeId, Attribute>,
  inherited: readonly EffectiveAttribute[],
  { id, attributes: uses }: Category,
): readonly EffectiveAttribute[] => {
  const effective = new Map(inherited.map((one) => [one.attribute.id, one]));
  for (const use of uses) {
    const attribute = attributes.get(use.attribute);
    const before = effective.get(use.attribute) ?? (attribute && widest(attribute, id));
    if (!before) continue;
    effective.set(use.attribute, narrow(before, use).unwrapOr(before));
  }
  return [...effective.values()];
};
const lives = ({ attribute }: EffectiveAttribute): boolean => !attribute.retired;
const withoutRetiredValues = (one: EffectiveAttribute): EffectiveAttribute => {
  if (one.attribute.type.kind !== 'dictionary') return one;
  const retired = new Set(one.attribute.type.values.filter((value) => value.retired).map(({ id }) => id));
  return retired.size === 0 ? one : { ...one, values: one.values.filter((value) => !retired.has(value)) };
};

export const catalogOf = (version: number, published: CatalogContent): Catalog => {
  const content: CatalogContent = {
    categories: published.categories,
    attributes: withDefaultFeeds(published.attributes, published.categories),
  };
  const categories = new Map(content.categories.map((category) => [category.id, category]));
  const attributes = new Map(content.attributes.map((attribute) => [attribute.id, attribute]));
  const children = new Map<CategoryId, Category[]>();
  for (const category of content.categories) {
    if (category.parent === undefined || category.retired) continue;
    const siblings = children.get(category.parent);
    if (siblings) siblings.push(category);
    else children.set(category.parent, [category]);
  }
  const root = content.categories.find(({ parent }) => parent === undefined);
  if (!root) throw new Error('a checked catalogue has a root');

  const folded = new Map<CategoryId, readonly EffectiveAttribute[]>();
  /** Asked level by level and remembered: a category costs its own uses, whatever its depth. */
  const fold = (category: Category): readonly EffectiveAttribute[] => {
    const known = folded.get(category.id);
    if (known) return known;
    const parent = category.parent === undefined ? undefined : categories.get(category.parent);
    const made = withUse(attributes, parent ? fold(parent) : [], category);
    folded.set(category.id, made);
    return made;
  };
  const effective = new Map<CategoryId, readonly EffectiveAttribute[]>();
  const filters = new Map<CategoryId, readonly StandardFilter[]>();
  const filtersOf = ({ id, parent, filters: override }: Category): readonly StandardFilter[] => {
    const known = filters.get(id);
    if (known) return known;
    const above = parent === undefined ? undefined : categories.get(parent);
    const made = overridden(above ? filtersOf(above) : DEFAULT_FILTERS, override);
    filters.set(id, made);
    return made;
  };
  const path = (id: CategoryId): readonly Category[] => {
    const found: Category[] = [];
    for (
      let at = categories.get(id);
      at;
      at = at.parent === undefined ? undefined : categories.get(at.parent)
    )
      found.push(at);
    return found.reverse();
  };
  return {
    version,
    content,
    root,
    category: (id) => categories.get(id),
    attribute: (id) => attributes.get(id),
    children: (id) => children.get(id) ?? [],
    path,
    effectiveAttributes: (id) => {
      const known = effective.get(id);
      if (known) return known;
      const category = categories.get(id);
      const made = category ? fold(category).filter(lives).map(withoutRetiredValues) : [];
      if (category) effective.set(id, made);
      return made;
    },
    standardFilters: (id) => {
      const category = categories.get(id);
      return category ? filtersOf(category) : [];
    },
  };
};

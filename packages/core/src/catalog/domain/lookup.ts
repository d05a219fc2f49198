import type { Attribute, DictionaryValue } from './attribute.ts';
import type { Catalog } from './catalog.ts';
import type { Category, CategoryId } from './category.ts';
import { fold, spellings } from './names.ts';

/** Finds what people mean by a name or a synonym, in any language and spelling. Built once for a version. */
export interface CatalogLookup {
  /** Every live category with that name: names are unique among siblings, not in the whole tree. */
  categories(name: string): readonly Category[];
  /** By names from the root's children downward; levels may be left out (`Cars > Toyota` finds `Transport > Cars > Toyota`). */
  categoryByPath(names: readonly string[]): readonly Category[];
  attribute(category: CategoryId, name: string): Attribute | undefined;
  /** Among the values that the category allows. */
  value(category: CategoryId, attribute: Attribute, name: string): DictionaryValue | undefined;
}

export const catalogLookup = (catalog: Catalog): CatalogLookup => {
  const byName = new Map<string, Category[]>();
  for (const category of catalog.content.categories) {
    if (category.retired) continue;
    for (const spelling of spellings(category.names))
      byName.set(spelling, [...(byName.get(spelling) ?? []), category]);
  }
  const valuesByName = new Map<string, ReadonlyMap<string, DictionaryValue>>();
  const valuesOf = ({ id, type }: Attribute): ReadonlyMap<string, DictionaryValue> => {
    const known = valuesByName.get(id);
    if (known) return known;
    const live = type.kind === 'dictionary' ? type.values.filter(({ retired }) => !retired) : [];
    const made = new Map(
      live.flatMap((value) => [...spellings(value.names)].map((spelling) => [spelling, value] as const)),
    );
    valuesByName.set(id, made);
    return made;
  };
  const categories = (name: string): readonly Category[] => byName.get(fold(name)) ?? [];
  /** Whether the names before the last are met, in order, on the way down. */
  const leadsTo = (category: Category, above: readonly string[]): boolean => {
    const wanted = above.map(fold);
    for (const { names } of catalog.path(category.id).slice(0, -1))
      if (wanted.length > 0 && spellings(names).has(wanted[0] ?? '')) wanted.shift();
    return wanted.length === 0;
  };
  return {
    categories,
    categoryByPath: (names) =>
      categories(names.at(-1) ?? '').filter((category) => leadsTo(category, names.slice(0, -1))),
    attribute: (category, name) => {
      const wanted = fold(name);
      return catalog
        .effectiveAttributes(category)
        .find(({ attribute }) => spellings(attribute.names).has(wanted))?.attribute;
    },
    value: (category, attribute, name) => {
      const found = valuesOf(attribute).get(fold(name));
      const allowed = catalog
        .effectiveAttributes(category)
        .find((one) => one.attribute.id === attribute.id)?.values;
      return found && allowed?.includes(found.id) ? found : undefined;
    },
  };
};

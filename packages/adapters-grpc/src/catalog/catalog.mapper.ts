import { attributeToPb, categoryToPb, filterToPb, namesToPb } from '@doska/adapters-proto';
import {
  ChangedThing as PbThing,
  ChangeKind as PbKind,
  Language as PbLanguage,
  type CategoryDetails,
  type Change,
  type EffectiveAttribute as PbEffective,
  type Names as PbNames,
  type TreeNode,
} from '@doska/adapters-proto/generated/doska/catalog/v1/catalog';
import type {
  Catalog,
  CatalogChange,
  Category,
  ChangedThing,
  ChangeKind,
  EffectiveAttribute,
} from '@doska/core/catalog';
import type { Malformed } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';

const things = {
  category: PbThing.CHANGED_THING_CATEGORY,
  attribute: PbThing.CHANGED_THING_ATTRIBUTE,
  value: PbThing.CHANGED_THING_VALUE,
} as const satisfies Record<ChangedThing, PbThing>;
const kinds = {
  added: PbKind.CHANGE_KIND_ADDED,
  changed: PbKind.CHANGE_KIND_CHANGED,
  retired: PbKind.CHANGE_KIND_RETIRED,
  restored: PbKind.CHANGE_KIND_RESTORED,
} as const satisfies Record<ChangeKind, PbKind>;
const keyOf = <K extends string>(table: Readonly<Record<K, number>>, wire: number): K | undefined =>
  (Object.keys(table) as K[]).find((key) => table[key] === wire);

export const changeToPb = ({ thing, id, change }: CatalogChange): Change => ({
  thing: things[thing],
  id,
  kind: kinds[change],
});
export const changeFromPb = ({ thing, id, kind }: Change): Result<CatalogChange, Malformed> => {
  const what = keyOf(things, thing);
  const how = keyOf(kinds, kind);
  return what && how
    ? ok({ thing: what, id, change: how })
    : err({ kind: 'Malformed', what: 'catalogue change', field: what ? 'kind' : 'thing' });
};

/** Keeps the names of one language; an unknown language of a newer client is answered in both. */
const inLanguage = (names: PbNames, language: PbLanguage): PbNames => {
  if (language === PbLanguage.LANGUAGE_RU) return { ...names, en: '', synonymsEn: [] };
  return language === PbLanguage.LANGUAGE_EN ? { ...names, ru: '', synonymsRu: [] } : names;
};
const effectiveToPb = (
  { attribute, declaredBy, required, multiple, filterable, values, range }: EffectiveAttribute,
  language: PbLanguage,
): PbEffective => {
  const allowed = new Set(values);
  const narrowed =
    attribute.type.kind === 'dictionary'
      ? {
          ...attribute,
          type: { ...attribute.type, values: attribute.type.values.filter(({ id }) => allowed.has(id)) },
        }
      : attribute;
  const pb = attributeToPb(narrowed);
  const type =
    pb.type?.$case === 'dictionary'
      ? {
          ...pb.type,
          value: {
            values: pb.type.value.values.map((value) => ({
              ...value,
              names: value.names && inLanguage(value.names, language),
            })),
          },
        }
      : pb.type;
  return {
    attribute: { ...pb, type, names: pb.names && inLanguage(pb.names, language) },
    declaredBy,
    required,
    multiple,
    filterable,
    ...range,
  };
};

export const detailsToPb = (catalog: Catalog, category: Category, language: PbLanguage): CategoryDetails => {
  const pb = categoryToPb(category);
  return {
    category: { ...pb, names: pb.names && inLanguage(pb.names, language) },
    pathIds: catalog.path(category.id).map(({ id }) => id),
    childIds: catalog.children(category.id).map(({ id }) => id),
    attributes: catalog.effectiveAttributes(category.id).map((one) => effectiveToPb(one, language)),
    standardFilters: catalog.standardFilters(category.id).map(filterToPb),
  };
};

/** Depth first, live categories only. */
export const treeToPb = (catalog: Catalog, language: PbLanguage): TreeNode[] => {
  const nodes: TreeNode[] = [];
  const visit = ({ id, parent, names }: Category, depth: number): void => {
    nodes.push({ id, parentId: parent ?? '', names: inLanguage(namesToPb(names), language), depth });
    for (const child of catalog.children(id)) visit(child, depth + 1);
  };
  visit(catalog.root, 0);
  return nodes;
};

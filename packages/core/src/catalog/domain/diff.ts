import type { CatalogContent } from './catalog.ts';

export type ChangedThing = 'category' | 'attribute' | 'value';
export type ChangeKind = 'added' | 'changed' | 'retired' | 'restored';
/** `id` of a value is `<attribute>/<value>`. */
export type CatalogChange = {
  readonly thing: ChangedThing;
  readonly id: string;
  readonly change: ChangeKind;
};

type Item = { readonly retired: boolean; readonly text: string };
const itemsOf = ({
  categories,
  attributes,
}: CatalogContent): Record<ChangedThing, ReadonlyMap<string, Item>> => ({
  category: new Map(
    categories.map(({ retired, ...rest }) => [rest.id, { retired, text: JSON.stringify(rest) }]),
  ),
  // An attribute's values are things of their own: a new brand is not a changed attribute.
  attribute: new Map(
    attributes.map(({ retired, type, ...rest }) => [
      rest.id,
      { retired, text: JSON.stringify({ ...rest, type: type.kind === 'dictionary' ? 'dictionary' : type }) },
    ]),
  ),
  value: new Map(
    attributes.flatMap(({ id, type }) =>
      type.kind === 'dictionary'
        ? type.values.map((value): [string, Item] => [
            `${id}/${value.id}`,
            { retired: value.retired, text: JSON.stringify(value.names) },
          ])
        : [],
    ),
  ),
});
const changeOf = (before: Item | undefined, after: Item): ChangeKind | undefined => {
  if (!before) return after.retired ? undefined : 'added';
  if (before.retired !== after.retired) return after.retired ? 'retired' : 'restored';
  return before.text === after.text ? undefined : 'changed';
};

/** What a reader of `before` must learn to know `after`. Nothing ever disappears, so there is no "removed". */
export const diffCatalogs = (before: CatalogContent, after: CatalogContent): readonly CatalogChange[] => {
  const old = itemsOf(before);
  const now = itemsOf(after);
  return (['category', 'attribute', 'value'] as const).flatMap((thing) =>
    [...now[thing]].flatMap(([id, item]) => {
      const change = changeOf(old[thing].get(id), item);
      return change ? [{ thing, id, change }] : [];
    }),
  );
};

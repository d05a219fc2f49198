import { err, ok, type Result } from 'neverthrow';
import type { Attribute, DictionaryValue } from './attribute.ts';
import type { CatalogContent } from './catalog.ts';
import type { Category } from './category.ts';

/** An attribute of the previous version that would have another type: offers and indexes hold values of the old one. */
export type TypeChange = { readonly attribute: string; readonly from: string; readonly to: string };
export type TypeChanges = { readonly kind: 'TypeChanges'; readonly changes: readonly TypeChange[] };

/** `next`, followed by what only `previous` has: retired, never deleted. */
const carried = <T extends { readonly id: string; readonly retired: boolean }>(
  previous: readonly T[],
  next: readonly T[],
): readonly T[] => {
  const there = new Set(next.map(({ id }) => id));
  return [
    ...next,
    ...previous
      .filter(({ id }) => !there.has(id))
      .map((gone) => (gone.retired ? gone : { ...gone, retired: true })),
  ];
};
const withOldValues = (before: Attribute | undefined, attribute: Attribute): Attribute => {
  if (before?.type.kind !== 'dictionary' || attribute.type.kind !== 'dictionary') return attribute;
  const values: readonly DictionaryValue[] = carried(before.type.values, attribute.type.values);
  return values.length === attribute.type.values.length
    ? attribute
    : { ...attribute, type: { ...attribute.type, values } };
};
/** A retired category keeps no uses: the attributes it used may change freely, and its id stays readable. */
const withoutUses = (category: Category): Category =>
  category.retired ? { ...category, attributes: [] } : category;

/** What is published after `previous`: everything of `next`, and what it left out as retired. */
export const succeed = (
  previous: CatalogContent | undefined,
  next: CatalogContent,
  options: { readonly allowTypeChanges?: boolean } = {},
): Result<CatalogContent, TypeChanges> => {
  if (!previous) return ok(next);
  const before = new Map(previous.attributes.map((attribute) => [attribute.id, attribute]));
  const changes = next.attributes.flatMap(({ id, type }) => {
    const from = before.get(id)?.type.kind;
    return from === undefined || from === type.kind ? [] : [{ attribute: id, from, to: type.kind }];
  });
  if (changes.length > 0 && !options.allowTypeChanges) return err({ kind: 'TypeChanges', changes });
  return ok({
    categories: carried(previous.categories, next.categories).map(withoutUses),
    attributes: carried(
      previous.attributes,
      next.attributes.map((attribute) => withOldValues(before.get(attribute.id), attribute)),
    ),
  });
};

import type { NumberRange, ValueId } from './attribute.ts';
import type { Catalog } from './catalog.ts';
import type { Category, CategoryId } from './category.ts';
import { unlimited, type EffectiveAttribute } from './effective.ts';
import { STANDARD_FILTERS, type StandardFilter } from './standard-filters.ts';

/** The lowest category that has all of these below it (or is one of them). */
export const nearestCommonAncestor = (catalog: Catalog, ids: readonly CategoryId[]): Category => {
  const [first = [], ...others] = ids.map((id) => catalog.path(id));
  const shared = first.filter((category, depth) => others.every((path) => path[depth]?.id === category.id));
  return shared.at(-1) ?? catalog.root;
};

const hull = (a: NumberRange, b: NumberRange): NumberRange => ({
  min: a.min === undefined || b.min === undefined ? undefined : Math.min(a.min, b.min),
  max: a.max === undefined || b.max === undefined ? undefined : Math.max(a.max, b.max),
});
const union = (
  dictionary: readonly ValueId[],
  a: readonly ValueId[],
  b: readonly ValueId[],
): readonly ValueId[] => {
  const either = new Set([...a, ...b]);
  return dictionary.filter((value) => either.has(value));
};
const dictionaryOf = ({ attribute: { type } }: EffectiveAttribute): readonly ValueId[] =>
  type.kind === 'dictionary' ? type.values.map(({ id }) => id) : [];

/**
 * The attributes that all of these categories have: a value or a number that is fine in any of them is kept, or
 * offers would become unreachable. Required in the result means required in each.
 */
export const commonAttributes = (
  catalog: Catalog,
  ids: readonly CategoryId[],
): readonly EffectiveAttribute[] => {
  const [first = [], ...others] = ids.map((id) => catalog.effectiveAttributes(id));
  return first.flatMap((one) => {
    const same = others.map((list) => list.find(({ attribute }) => attribute.id === one.attribute.id));
    return same.every((other) => other !== undefined)
      ? [
          same.reduce(
            (sum, other) => ({
              ...sum,
              required: sum.required && other.required,
              multiple: sum.multiple || other.multiple,
              filterable: sum.filterable && other.filterable,
              values: union(dictionaryOf(sum), sum.values, other.values),
              range: sum.attribute.type.kind === 'number' ? hull(sum.range, other.range) : unlimited,
            }),
            one,
          ),
        ]
      : [];
  });
};

/** The standard filters that all of these categories have. */
export const commonFilters = (catalog: Catalog, ids: readonly CategoryId[]): readonly StandardFilter[] => {
  const lists = ids.map((id) => catalog.standardFilters(id));
  return lists.length === 0
    ? []
    : STANDARD_FILTERS.filter((filter) => lists.every((list) => list.includes(filter)));
};

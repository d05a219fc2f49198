import {
  STANDARD_FILTERS,
  type AttributeId,
  type Catalog,
  type CategoryId,
  type Names,
} from '../../catalog/index.ts';
import { ATTRIBUTE_PREFIX, PLACE_FILTERS } from '../query/condition-of.ts';
import {
  shownFilters,
  standardNames,
  type FilterNeeds,
  type FilterSpec,
  type FoundCategory,
} from './shown-filters.ts';

export type NamedCategory = FoundCategory & { readonly names: Names | undefined };
/** Why an answer offers a filter, or does not. */
export type FilterExplanation = {
  readonly id: string;
  readonly names: Names | undefined;
  readonly shown: boolean;
  /** A sentence for people. */
  readonly reason: string;
  /** The share of found offers whose category has the filter, 0 to 1. */
  readonly coverage: number;
  /** The share that it needs. */
  readonly coverageMin: number;
  /** Found categories that lack it, the largest first. */
  readonly lacking: readonly NamedCategory[];
  /** Found categories that have it, the largest first. */
  readonly having: readonly NamedCategory[];
};

const isStandard = (id: string): boolean => STANDARD_FILTERS.some((one) => one === id);
const attributeOf = (catalog: Catalog, id: string) =>
  id.startsWith(ATTRIBUTE_PREFIX)
    ? catalog.attribute(id.slice(ATTRIBUTE_PREFIX.length) as AttributeId)
    : undefined;
/** Whether requests may name the filter at all. */
export const isKnownFilter = (catalog: Catalog, id: string): boolean =>
  isStandard(id) || PLACE_FILTERS.some((one) => one === id) || attributeOf(catalog, id) !== undefined;

const has = (catalog: Catalog, category: CategoryId, id: string): boolean =>
  isStandard(id)
    ? catalog.standardFilters(category).some((one) => one === id)
    : catalog
        .effectiveAttributes(category)
        .some(({ attribute }) => `${ATTRIBUTE_PREFIX}${attribute.id}` === id);
const share = (part: readonly FoundCategory[], whole: readonly FoundCategory[]): number => {
  const sum = (list: readonly FoundCategory[]): number => list.reduce((all, { count }) => all + count, 0);
  const all = sum(whole);
  if (all > 0) return sum(part) / all;
  // Nothing was found: the one category that the request names has the filter, or lacks it.
  return part.length > 0 ? 1 : 0;
};

const list = (catalog: Catalog, categories: readonly FoundCategory[]): string => {
  const named = categories.slice(0, 3).map(({ id }) => catalog.category(id)?.names.en ?? id);
  const more = categories.length - named.length;
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
};

const shownReason = (
  filter: FilterSpec,
  withoutUse: boolean,
  { found }: Pick<FilterNeeds, 'found'>,
): string => {
  if (!withoutUse) return 'the request uses it, and it is valid for the requested category';
  if (found.length === 0) return 'nothing was found, and the requested category has it';
  return filter.coverage >= 1
    ? 'every found category has it'
    : `its categories hold ${(100 * filter.coverage).toFixed(1)} % of the found offers, which is enough`;
};
const hiddenReason = (
  id: string,
  needs: FilterNeeds,
  lacking: readonly FoundCategory[],
  basis: readonly FoundCategory[],
): string => {
  const { catalog } = needs;
  const attribute = attributeOf(catalog, id);
  if (PLACE_FILTERS.some((one) => one === id)) return 'requests may use it, but no answer lists it';
  if (attribute?.retired) return 'the attribute is retired';
  if (attribute && basis.length === 0)
    return 'nothing was found and no category is requested, so no attribute is offered';
  return `${list(catalog, lacking)} ${lacking.length === 1 ? 'lacks' : 'lack'} it`;
};

/** Why table T4 shows a filter or not. It never contradicts `shownFilters`: it asks it. */
export const explainFilter = (id: string, needs: FilterNeeds): FilterExplanation => {
  const { catalog, coverageMin, requested } = needs;
  const known = needs.found.filter((one) => catalog.category(one.id) !== undefined);
  // As `shownFilters` does: nothing found means the requested category, and without one the root.
  const root = isStandard(id) ? [{ id: catalog.root.id, count: 0 }] : [];
  const asked = requested === undefined ? root : [{ id: requested, count: 0 }];
  const basis = known.length > 0 ? known : asked;
  const bySize = basis.toSorted((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1));
  const having = bySize.filter((one) => has(catalog, one.id, id));
  const lacking = bySize.filter((one) => !has(catalog, one.id, id));
  const named = (one: FoundCategory): NamedCategory => ({ ...one, names: catalog.category(one.id)?.names });
  const { filters, hidden } = shownFilters(needs);
  const filter = filters.find((one) => one.id === id);
  const unused = shownFilters({ ...needs, used: [] }).filters.some((one) => one.id === id);
  const told = hidden.find((one) => one.id === id);
  const reason = filter
    ? shownReason(filter, unused, { found: known })
    : (told?.reason ?? hiddenReason(id, needs, lacking, basis));
  return {
    id,
    names: filter?.names ?? attributeOf(catalog, id)?.names ?? standardNames(id),
    shown: filter !== undefined,
    reason,
    coverage: share(having, basis),
    coverageMin,
    lacking: lacking.map(named),
    having: having.map(named),
  };
};

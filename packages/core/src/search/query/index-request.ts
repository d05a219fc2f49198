import { err, ok, type Result } from 'neverthrow';
import type { Catalog, CategoryId } from '../../catalog/index.ts';
import { invalidInput, type InvalidInput, type Violation } from '../../kernel/index.ts';
import type { Choice, Facet, Filter, PageCap, SearchRequest, SortKey } from '../../vasgen/index.ts';
import { OFFERS_PLAN } from '../document/offer-fields.ts';
import type { FilterSpec } from '../filters/shown-filters.ts';
import { categoriesBelow, conditionOf } from './condition-of.ts';
import type { PagePlace } from './page-place.ts';
import type { SearchQuery } from './search-query.ts';

/** A plan counts at most 100 fields. */
export const COUNTED_FILTERS_MAX = 90;

const sortKeys = ({ sort, near }: SearchQuery): readonly SortKey[] => {
  switch (sort) {
    case 'relevance':
      return [];
    case 'date':
      return [{ by: 'column', field: 'publishedAt', direction: 'desc' }];
    case 'price':
    case 'priceDesc':
      return [{ by: 'column', field: 'price', direction: sort === 'price' ? 'asc' : 'desc' }];
    case 'distance':
      return near ? [{ by: 'distance', field: 'point', from: near }] : [];
  }
};

/** What counts the values of a filter; undefined if it has nothing to count. */
export const facetOf = ({ id, type, field }: FilterSpec): Facet | undefined => {
  if (field === undefined) return undefined;
  return type === 'range' ? { kind: 'stats', name: id, field } : { kind: 'terms', name: id, field };
};
export const facetsOf = (filters: readonly FilterSpec[]): readonly Facet[] =>
  filters.flatMap((filter) => facetOf(filter) ?? []).slice(0, COUNTED_FILTERS_MAX);

/**
 * At most so many offers of one seller on a page: where the answer is ranked, and unless the request names sellers. `max` 0: as
 * many as there are.
 */
export const sellerCap = ({ sort, filters }: SearchQuery, max: number): PageCap | undefined =>
  max > 0 && sort === 'relevance' && !filters.some(({ id }) => id === 'seller')
    ? { field: 'seller', max }
    : undefined;

export type IndexRequestNeeds = {
  readonly catalog: Catalog;
  readonly nowMs: number;
  readonly place: PagePlace | undefined;
  readonly timeMs: number | undefined;
};

/** The query as the index runs it, without its text and counts. Unknown categories, filters and values are violations. */
export const indexRequestOf = (
  query: SearchQuery,
  { catalog, nowMs, place, timeMs }: IndexRequestNeeds,
): Result<SearchRequest, InvalidInput> => {
  const violations: Violation[] = [];
  const category = query.category as CategoryId | undefined;
  if (category !== undefined && !catalog.category(category))
    violations.push({ path: 'category', code: 'Unknown', message: `there is no category ${category}` });
  const choices: Choice[] = [];
  for (const [at, chosen] of query.filters.entries())
    conditionOf(chosen, { catalog, nowMs }, `filter[${at}]`).match(
      (filter) => void choices.push({ facet: chosen.id, filter }),
      (violation) => void violations.push(violation),
    );
  if (violations.length > 0) return err(invalidInput(...violations));
  const sort = sortKeys(query);
  const within: Filter | undefined =
    category === undefined || category === catalog.root.id
      ? undefined
      : { kind: 'terms', field: 'category', values: categoriesBelow(catalog, category) };
  return ok({
    plan: OFFERS_PLAN,
    nowMs,
    page: { limit: query.pageSize, ...(place && { after: place.after }) },
    ...(place && { epoch: place.epoch }),
    ...(within && { filter: within }),
    ...(choices.length > 0 && { choices }),
    ...(sort.length > 0 && { sort }),
    ...(timeMs !== undefined && { bounds: { timeMs } }),
  });
};

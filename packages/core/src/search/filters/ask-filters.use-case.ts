import { err, ok, type Result } from 'neverthrow';
import type { CatalogCache, CategoryId } from '../../catalog/index.ts';
import { invalidInput, type InvalidInput, type Unavailable } from '../../kernel/index.ts';
import { foundIn, type AskIndex } from '../query/ask-index.use-case.ts';
import type { RawQuery } from '../query/search-query.ts';
import { explainFilter, isKnownFilter, type FilterExplanation } from './explain-filter.ts';
import { shownFilters, type FilterSpec } from './shown-filters.ts';

type Asked<T> = Promise<Result<T, InvalidInput | Unavailable>>;
/** The filters of a category without a search; empty: of the root. */
export type GetFilters = (category: string) => Asked<readonly FilterSpec[]>;
/** Why the answer to a query offers a filter, or does not. */
export type ExplainFilter = (raw: RawQuery, filterId: string) => Asked<FilterExplanation>;
export type AskFiltersNeeds = {
  readonly catalog: Pick<CatalogCache, 'copy'>;
  readonly askIndex: AskIndex;
  readonly settings: { readonly coverageMin: number };
};

const NO_CATALOG: Unavailable = {
  kind: 'Unavailable',
  what: 'the catalogue is not loaded yet',
  retryable: true,
  cause: undefined,
};

export const makeGetFilters =
  ({ catalog: cache, settings }: Pick<AskFiltersNeeds, 'catalog' | 'settings'>): GetFilters =>
  async (category) => {
    const copy = cache.copy();
    if (copy.isErr()) return err(NO_CATALOG);
    const { catalog } = copy.value;
    const requested = category === '' ? undefined : (category as CategoryId);
    if (requested !== undefined && !catalog.category(requested))
      return err(
        invalidInput({ path: 'category', code: 'Unknown', message: `there is no category ${category}` }),
      );
    return ok(
      shownFilters({ catalog, found: [], requested, used: [], coverageMin: settings.coverageMin }).filters,
    );
  };

export const makeExplainFilter =
  ({ askIndex, settings }: AskFiltersNeeds): ExplainFilter =>
  async (raw, filterId) => {
    const asked = await askIndex(raw, { isCountOnly: true });
    return asked.andThen(({ query, known, answer }) => {
      if (!known) return err(NO_CATALOG);
      if (!isKnownFilter(known, filterId))
        return err(
          invalidInput({ path: 'filter_id', code: 'Unknown', message: `there is no filter ${filterId}` }),
        );
      return ok(
        explainFilter(filterId, {
          catalog: known,
          found: foundIn(answer),
          requested: query.category as CategoryId | undefined,
          used: query.filters.map(({ id }) => id),
          coverageMin: settings.coverageMin,
        }),
      );
    });
  };

import type { Names } from '../../catalog/index.ts';
import type { FacetCounts, FacetStats } from '../../vasgen/index.ts';
import type { GluedAnswer, GluedSnippet } from '../../snippets/index.ts';
import type { Highlight } from '../cards/highlights.ts';
import type { OfferCard } from '../cards/offer-card.ts';
import type { FilterSpec, FilterValue } from '../filters/shown-filters.ts';
import type { CorrectedWord } from '../spelling/spell-checker.ts';
import type { ChosenFilter } from './filter-text.ts';

export type FoundOffer = {
  readonly offerId: string;
  readonly score: number;
  readonly card: OfferCard | undefined;
  /** The words of the title that were searched for. */
  readonly highlights: readonly Highlight[];
  /** The snippets of its keys, by name. */
  readonly snippets: GluedAnswer<unknown>['hits'][number]['snippets'];
};
export type CountedCategory = {
  readonly id: string;
  readonly names: Names | undefined;
  readonly count: number;
};
export type CountedValue = FilterValue & { readonly count: number };
export type CountedFilter = Omit<FilterSpec, 'values' | 'field'> & {
  readonly values: readonly CountedValue[];
  readonly stats: FacetStats | undefined;
  /** False: the counts are lower bounds, or the index has changed since the offers were found. */
  readonly exact: boolean;
  readonly chosen: ChosenFilter | undefined;
};
/** What the answer lacks, and why. */
export type SearchNote =
  'TextIgnored' | 'NoCatalog' | 'NoCards' | 'NoCounts' | 'Cut' | 'UnknownCategories' | 'NoSnippets';
/** A text that found more than what was typed. `words` is empty on pages behind the first one. */
export type UsedCorrection = {
  readonly original: string;
  readonly corrected: string;
  readonly words: readonly CorrectedWord[];
};
export type FoundOffers = {
  readonly offers: readonly FoundOffer[];
  readonly total: number;
  readonly categories: readonly CountedCategory[];
  readonly filters: readonly CountedFilter[];
  /** Snippets of the answer as a whole. */
  readonly snippets: readonly GluedSnippet[];
  /** Undefined: the offers were found by the text as it was typed. */
  readonly spelling: UsedCorrection | undefined;
  readonly nextPageToken: string;
  /** Names this answer in search events. Empty: no events are taken of it. */
  readonly queryId: string;
  /** Offers that were left out because the page has enough of their sellers. */
  readonly heldBack: number;
  readonly notes: readonly SearchNote[];
  readonly epoch: number;
  readonly searcher: string;
  readonly generation: number;
  readonly indexAgeMs: number;
};

/** A filter with its counts. Values of a dictionary are in its order, with zeros; others are the ones that were found. */
export const withCounts = (
  { field: _field, ...filter }: FilterSpec,
  counted: FacetCounts | undefined,
  chosen: ChosenFilter | undefined,
  isSameState: boolean,
): CountedFilter => {
  const counts = new Map(counted?.counts.map(({ value, count }) => [String(value), count] as const));
  const listed = new Set(filter.values.map(({ id }) => id));
  const values: CountedValue[] = filter.values.map((value) => ({
    ...value,
    count: counts.get(value.id) ?? 0,
  }));
  for (const [id, count] of counts) if (!listed.has(id)) values.push({ id, names: undefined, count });
  return {
    ...filter,
    values,
    stats: counted?.stats,
    exact: counted !== undefined && counted.exact && isSameState,
    chosen,
  };
};

import { err, type Result } from 'neverthrow';
import type { Catalog, CategoryId } from '../../catalog/index.ts';
import type { InvalidInput, PageTokens, Telemetry, Unavailable } from '../../kernel/index.ts';
import type { Analyzer, FacetCounts } from '../../vasgen/index.ts';
import { makeHighlighter } from '../cards/highlights.ts';
import type { ReadCards } from '../cards/read-cards.use-case.ts';
import type { QueryIds } from '../events/query-ids.ts';
import { makeCategoryFilters } from '../filters/category-filters.ts';
import {
  shownFilters,
  type FilterSpec,
  type FoundCategory,
  type ShownFilters,
} from '../filters/shown-filters.ts';
import { foundIn, type AskedIndex, type AskIndex } from './ask-index.use-case.ts';
import { withCounts, type CountedFilter, type FoundOffers, type SearchNote } from './found-offers.ts';
import { facetsOf } from './index-request.ts';
import { pageKeyOf } from './page-place.ts';
import type { SearchIndex } from './search-index.port.ts';
import {
  answerKeysOf,
  checkSnippets,
  NO_SNIPPETS,
  type AskedSnippets,
  type ReadSnippets,
} from './read-snippets.use-case.ts';
import { queryFingerprint, type RawQuery, type SearchQuery } from './search-query.ts';

export type SearchOffersError = InvalidInput | Unavailable;
/** `snippets`: what else to put beside the hits. A snippet service that is away only leaves them out. */
export type SearchOffers = (
  raw: RawQuery,
  snippets?: AskedSnippets,
) => Promise<Result<FoundOffers, SearchOffersError>>;
export type SearchOffersNeeds = {
  readonly askIndex: AskIndex;
  readonly index: Pick<SearchIndex, 'execute'>;
  readonly readCards: ReadCards;
  readonly readSnippets: ReadSnippets;
  readonly analyzer: Pick<Analyzer, 'terms' | 'words'>;
  readonly tokens: PageTokens;
  /** Undefined: no events are taken. */
  readonly queryIds: Pick<QueryIds, 'seal'> | undefined;
  readonly telemetry: Pick<Telemetry, 'metrics'>;
  readonly settings: {
    /** 1: a filter must belong to every found category. */
    readonly coverageMin: number;
  };
};

export const makeSearchOffers = (needs: SearchOffersNeeds): SearchOffers => {
  const { askIndex, index, readCards, readSnippets, analyzer, tokens, queryIds, telemetry, settings } = needs;
  const answered = telemetry.metrics.counter({
    name: 'doska_search_queries_total',
    help: 'Searches that were answered, by whether they found anything.',
    labels: ['found'],
  });
  const corrections = telemetry.metrics.counter({
    name: 'doska_search_corrections_total',
    help: 'Searches whose corrected text found more than what was typed.',
    labels: [],
  });

  const highlighter = makeHighlighter(analyzer);
  const filtersOf = makeCategoryFilters();

  /** The filters of a category, if they hold all that the query uses. */
  const ownFilters = (
    known: Catalog,
    category: CategoryId,
    { filters: used }: SearchQuery,
  ): readonly FilterSpec[] | undefined => {
    const own = filtersOf(known, category);
    return used.every(({ id }) => own.some((one) => one.id === id)) ? own : undefined;
  };
  /** Filters that the requested category has anyway: they are counted in the first call. */
  const expectedFilters = (known: Catalog, query: SearchQuery): readonly FilterSpec[] => {
    const requested = query.category as CategoryId | undefined;
    if (requested === undefined) return [];
    const used = query.filters.map(({ id }) => id);
    return (
      ownFilters(known, requested, query) ??
      shownFilters({ catalog: known, found: [], requested, used, coverageMin: 1 }).filters
    );
  };
  const filtersFor = (
    known: Catalog,
    query: SearchQuery,
    found: readonly FoundCategory[],
  ): Pick<ShownFilters, 'filters' | 'unknown'> => {
    const requested = query.category as CategoryId | undefined;
    const [only, ...others] = found;
    const own =
      requested !== undefined && only?.id === requested && others.length === 0
        ? ownFilters(known, requested, query)
        : undefined;
    return own
      ? { filters: own, unknown: 0 }
      : shownFilters({
          catalog: known,
          found,
          requested,
          used: query.filters.map(({ id }) => id),
          coverageMin: settings.coverageMin,
        });
  };

  const countedFilters = async (
    known: Catalog,
    { query, request, answer: first }: AskedIndex,
    notes: Set<SearchNote>,
  ): Promise<readonly CountedFilter[]> => {
    const shown = filtersFor(known, query, foundIn(first));
    if (shown.unknown > 0) notes.add('UnknownCategories');
    const counts = new Map<string, FacetCounts>(first.facets.map((one) => [one.name, one] as const));
    const uncounted = facetsOf(shown.filters.filter(({ id }) => !counts.has(id)));
    let isSameState = true;
    if (uncounted.length > 0) {
      const second = await index.execute({
        ...request,
        epoch: first.epoch,
        page: { limit: 0 },
        facets: uncounted,
      });
      if (second.isErr()) notes.add('NoCounts');
      else {
        isSameState =
          second.value.searcher === first.searcher && second.value.generation === first.generation;
        for (const one of second.value.facets) if (one.name !== 'category') counts.set(one.name, one);
      }
    }
    const inFirst = new Set(first.facets.map(({ name }) => name));
    return shown.filters.map((filter) =>
      withCounts(
        filter,
        counts.get(filter.id),
        query.filters.find(({ id }) => id === filter.id),
        isSameState || inFirst.has(filter.id),
      ),
    );
  };

  return async (raw, wanted = NO_SNIPPETS) => {
    const checked = checkSnippets(wanted);
    if (checked.isErr()) return err(checked.error);
    const asked = await askIndex(raw, {
      facets: (known, query) => facetsOf(expectedFilters(known, query)),
    });
    return asked.asyncMap(async (found) => {
      const { query, known, place, nowMs, words, correction, answer: first } = found;
      const notes = new Set(found.notes);
      if (correction && !place) corrections.add(1, {});
      const cards = await readCards(first.epoch, first.hits);
      if (cards.isErr()) notes.add('NoCards');
      const last = first.hits.length === query.pageSize ? first.hits.at(-1) : undefined;
      const cardOf = (pk: string) => (cards.isOk() ? cards.value.get(pk) : undefined);
      const marksOf = highlighter(words);
      const [filters, snippets] = await Promise.all([
        known ? countedFilters(known, found, notes) : [],
        readSnippets(
          wanted,
          first.hits.map(({ pk }) => ({ offerId: pk, seller: cardOf(pk)?.seller })),
          answerKeysOf(query.category, analyzer.words(words)),
        ),
      ]);
      if (snippets.isErr()) notes.add('NoSnippets');
      answered.add(1, { found: String(first.total > 0) });
      return {
        offers: first.hits.map(({ pk, score }, at) => {
          const card = cardOf(pk);
          return {
            offerId: pk,
            score,
            card,
            highlights: card ? marksOf(card) : [],
            snippets: snippets.isOk() ? snippets.value.hits[at]!.snippets : {},
          };
        }),
        total: first.total,
        categories: foundIn(first).map(({ id, count }) => ({
          id,
          count,
          names: known?.category(id)?.names,
        })),
        filters,
        snippets: snippets.isOk() ? snippets.value.entries : [],
        nextPageToken: last
          ? tokens.encode(
              queryFingerprint(query),
              pageKeyOf({
                epoch: first.epoch,
                nowMs,
                corrected: correction?.text ?? '',
                after: last.cursor,
              }),
            )
          : '',
        queryId: queryIds?.seal(first.hits.map(({ pk }) => pk)) ?? '',
        spelling: correction && {
          original: query.text,
          corrected: correction.text,
          words: correction.words,
        },
        heldBack: first.heldBack ?? 0,
        notes: [...notes],
        epoch: first.epoch,
        searcher: first.searcher,
        generation: first.generation,
        indexAgeMs: first.indexAgeMs,
      };
    });
  };
};

import { err, ok, type Result } from 'neverthrow';
import type { Catalog, CatalogCache, CategoryId } from '../../catalog/index.ts';
import {
  invalidInput,
  unavailable,
  type Clock,
  type InvalidInput,
  type PageTokens,
  type Telemetry,
  type Unavailable,
} from '../../kernel/index.ts';
import type { Analyzer, FacetCounts, SearchAnswer, SearchRequest } from '../../vasgen/index.ts';
import { highlightsOf } from '../cards/highlights.ts';
import type { ReadCards } from '../cards/read-cards.use-case.ts';
import { OFFERS_PLAN } from '../document/offer-fields.ts';
import { shownFilters, type FilterSpec, type FoundCategory } from '../filters/shown-filters.ts';
import type { FeedingAttributes } from './condition-of.ts';
import { withCounts, type CountedFilter, type FoundOffers, type SearchNote } from './found-offers.ts';
import { executeSpelled } from './execute-spelled.ts';
import { facetsOf, indexRequestOf } from './index-request.ts';
import { pageKeyOf, pagePlaceOf, type PagePlace } from './page-place.ts';
import type { SpellChecker } from '../spelling/spell-checker.ts';
import type { EpochGone, SearchIndex } from './search-index.port.ts';
import {
  parseQuery,
  queryFingerprint,
  type QueryLimits,
  type RawQuery,
  type SearchQuery,
} from './search-query.ts';

export type SearchOffersError = InvalidInput | Unavailable;
export type SearchOffers = (raw: RawQuery) => Promise<Result<FoundOffers, SearchOffersError>>;
export type SearchOffersNeeds = {
  readonly index: SearchIndex;
  readonly catalog: Pick<CatalogCache, 'copy'>;
  readonly readCards: ReadCards;
  readonly analyzer: Pick<Analyzer, 'terms'>;
  readonly spelling: SpellChecker;
  readonly tokens: PageTokens;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  readonly settings: {
    readonly limits: QueryLimits;
    readonly feeding: FeedingAttributes;
    /** 1: a filter must belong to every found category. */
    readonly coverageMin: number;
    readonly queryMs: number;
  };
};

const badToken = (message: string): InvalidInput =>
  invalidInput({ path: 'page_token', code: 'Malformed', message });

export const makeSearchOffers = (needs: SearchOffersNeeds): SearchOffers => {
  const { index, catalog, readCards, analyzer, spelling, tokens, clock, telemetry, settings } = needs;
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

  const placeFor = (query: SearchQuery): Result<PagePlace | undefined, InvalidInput> => {
    if (query.pageToken === '') return ok(undefined);
    return tokens
      .decode(queryFingerprint(query), query.pageToken)
      .mapErr(({ reason }) =>
        badToken(
          reason === 'otherQuery'
            ? 'the token is of another query: start again without a token'
            : 'use the next_page_token of an earlier answer',
        ),
      )
      .andThen((key) =>
        pagePlaceOf(key).mapErr(() => badToken('use the next_page_token of an earlier answer')),
      );
  };
  const asInput = (error: EpochGone | InvalidInput | Unavailable): SearchOffersError => {
    if (error.kind === 'EpochGone')
      return badToken('the index was replaced since the first page: start again without a token');
    // The query of the buyer was checked already: what the index refuses, its scheduler has not declared yet.
    return error.kind === 'InvalidInput' ? unavailable('the index is not prepared yet', error) : error;
  };

  const foundIn = ({ facets }: SearchAnswer): readonly FoundCategory[] =>
    facets
      .find(({ name }) => name === 'category')!
      .counts.map(({ value, count }) => ({ id: String(value) as CategoryId, count }));

  /** Filters that the requested category has anyway: they are counted in the first call. */
  const expectedFilters = (known: Catalog, query: SearchQuery): readonly FilterSpec[] =>
    query.category === undefined
      ? []
      : shownFilters({
          catalog: known,
          found: [],
          requested: query.category as CategoryId,
          used: query.filters.map(({ id }) => id),
          coverageMin: 1,
          feeding: settings.feeding,
        }).filters;

  const countedFilters = async (
    known: Catalog,
    query: SearchQuery,
    request: SearchRequest,
    first: SearchAnswer,
    notes: Set<SearchNote>,
  ): Promise<readonly CountedFilter[]> => {
    const shown = shownFilters({
      catalog: known,
      found: foundIn(first),
      requested: query.category as CategoryId | undefined,
      used: query.filters.map(({ id }) => id),
      coverageMin: settings.coverageMin,
      feeding: settings.feeding,
    });
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

  /** Without a catalogue a text can still be searched for; categories and filters can't be checked. */
  const withoutCatalog = (query: SearchQuery): Result<void, InvalidInput | Unavailable> =>
    query.category === undefined && query.filters.length === 0
      ? ok(undefined)
      : err({
          kind: 'Unavailable',
          what: 'the catalogue is not loaded yet',
          retryable: true,
          cause: undefined,
        });

  /** The request without its text. */
  const requestOf = (
    query: SearchQuery,
    known: Catalog | undefined,
    place: PagePlace | undefined,
    nowMs: number,
  ): Result<SearchRequest, InvalidInput> =>
    known
      ? indexRequestOf(query, {
          catalog: known,
          feeding: settings.feeding,
          nowMs,
          place,
          timeMs: settings.queryMs,
        })
      : ok({
          plan: OFFERS_PLAN,
          nowMs,
          page: { limit: query.pageSize, ...(place && { after: place.after }) },
        });

  return async (raw) => {
    const query = parseQuery(raw, settings.limits);
    if (query.isErr()) return err(query.error);
    const place = placeFor(query.value);
    if (place.isErr()) return err(place.error);
    const copy = catalog.copy();
    const known = copy.isOk() ? copy.value.catalog : undefined;
    const notes = new Set<SearchNote>();
    if (!known) {
      const may = withoutCatalog(query.value);
      if (may.isErr()) return err(may.error);
      notes.add('NoCatalog');
    }
    const { text } = query.value;
    const typed = text !== '' && analyzer.terms(text).length > 0 ? text : '';
    if (text !== '' && typed === '') notes.add('TextIgnored');
    const nowMs = place.value?.nowMs ?? clock.nowMs();
    const request = requestOf(query.value, known, place.value, nowMs);
    if (request.isErr()) return err(request.error);
    const expected = known ? facetsOf(expectedFilters(known, query.value)) : [];
    const answer = await executeSpelled(
      (words) =>
        index.execute({ ...request.value, facets: expected, ...(words !== '' && { text: { words } }) }),
      {
        typed,
        fixed: place.value && place.value.corrected,
        isAsked: query.value.spelling === 'auto',
        correct: (words) => spelling.correct(words, known),
      },
    );
    if (answer.isErr()) return err(asInput(answer.error));
    const { answer: first, words, correction } = answer.value;
    const asked: SearchRequest = { ...request.value, ...(words !== '' && { text: { words } }) };
    if (correction && !place.value) corrections.add(1, {});
    if (first.cut) notes.add('Cut');
    const cards = await readCards(first.epoch, first.hits);
    if (cards.isErr()) notes.add('NoCards');
    const last = first.hits.length === query.value.pageSize ? first.hits.at(-1) : undefined;
    const filters = known ? await countedFilters(known, query.value, asked, first, notes) : [];
    answered.add(1, { found: String(first.total > 0) });
    return ok({
      offers: first.hits.map(({ pk, score }) => {
        const card = cards.isOk() ? cards.value.get(pk) : undefined;
        return {
          offerId: pk,
          score,
          card,
          highlights: card ? highlightsOf(card.title, words, analyzer) : [],
        };
      }),
      total: first.total,
      categories: foundIn(first).map(({ id, count }) => ({ id, count, names: known?.category(id)?.names })),
      filters,
      nextPageToken: last
        ? tokens.encode(
            queryFingerprint(query.value),
            pageKeyOf({
              epoch: first.epoch,
              nowMs,
              corrected: correction?.text ?? '',
              after: last.cursor,
            }),
          )
        : '',
      spelling: correction && { original: text, corrected: correction.text, words: correction.words },
      notes: [...notes],
      epoch: first.epoch,
      searcher: first.searcher,
      generation: first.generation,
      indexAgeMs: first.indexAgeMs,
    });
  };
};

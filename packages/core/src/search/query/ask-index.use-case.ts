import { err, ok, type Result } from 'neverthrow';
import type { Catalog, CatalogCache, CategoryId } from '../../catalog/index.ts';
import {
  invalidInput,
  unavailable,
  type Clock,
  type InvalidInput,
  type PageTokens,
  type Unavailable,
} from '../../kernel/index.ts';
import type { Analyzer, Facet, SearchAnswer, SearchRequest } from '../../vasgen/index.ts';
import { OFFERS_PLAN } from '../document/offer-fields.ts';
import type { FoundCategory } from '../filters/shown-filters.ts';
import type { Correction, SpellChecker } from '../spelling/spell-checker.ts';
import { executeSpelled } from './execute-spelled.ts';
import type { SearchNote } from './found-offers.ts';
import { indexRequestOf, sellerCap } from './index-request.ts';
import { pagePlaceOf, type PagePlace } from './page-place.ts';
import type { EpochGone, SearchIndex } from './search-index.port.ts';
import {
  parseQuery,
  queryFingerprint,
  type QueryLimits,
  type RawQuery,
  type SearchQuery,
} from './search-query.ts';

export type AskIndexNeeds = {
  readonly index: Pick<SearchIndex, 'execute'>;
  readonly catalog: Pick<CatalogCache, 'copy'>;
  readonly analyzer: Pick<Analyzer, 'terms'>;
  readonly spelling: SpellChecker;
  readonly tokens: PageTokens;
  readonly clock: Clock;
  readonly settings: {
    readonly limits: QueryLimits;
    readonly queryMs: number;
    /** Offers of one seller on a page; 0: as many as there are. */
    readonly sellerOffersMax: number;
  };
};
/** A buyer's query as the index has answered it. */
export type AskedIndex = {
  readonly query: SearchQuery;
  /** Undefined: the catalogue is not loaded, and the query needs none. */
  readonly known: Catalog | undefined;
  /** The place that the page token holds. */
  readonly place: PagePlace | undefined;
  readonly nowMs: number;
  /** What was asked, with the words that found the answer. */
  readonly request: SearchRequest;
  readonly words: string;
  readonly correction: Correction | undefined;
  readonly answer: SearchAnswer;
  readonly notes: readonly SearchNote[];
};
export type AskIndex = (
  raw: RawQuery,
  asked?: {
    /** Counts besides those of the plan. */
    readonly facets?: (known: Catalog, query: SearchQuery) => readonly Facet[];
    /** True: only the numbers, without hits. */
    readonly isCountOnly?: boolean;
  },
) => Promise<Result<AskedIndex, InvalidInput | Unavailable>>;

const badToken = (message: string): InvalidInput =>
  invalidInput({ path: 'page_token', code: 'Malformed', message });

/** Errors of the index as a buyer sees them. */
export const asBuyersError = (error: EpochGone | InvalidInput | Unavailable): InvalidInput | Unavailable => {
  if (error.kind === 'EpochGone')
    return badToken('the index was replaced since the first page: start again without a token');
  // The query of the buyer was checked already: what the index refuses, its scheduler has not declared yet.
  return error.kind === 'InvalidInput' ? unavailable('the index is not prepared yet', error) : error;
};
/** All categories that the answer counted. */
export const foundIn = ({ facets }: SearchAnswer): readonly FoundCategory[] =>
  facets
    .find(({ name }) => name === 'category')!
    .counts.map(({ value, count }) => ({ id: String(value) as CategoryId, count }));

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

/** Checks a buyer's query, asks the index, and corrects the text if it finds nothing. */
export const makeAskIndex = (needs: AskIndexNeeds): AskIndex => {
  const { index, catalog, analyzer, spelling, tokens, clock, settings } = needs;

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
          nowMs,
          place,
          timeMs: settings.queryMs,
        })
      : ok({
          plan: OFFERS_PLAN,
          nowMs,
          page: { limit: query.pageSize, ...(place && { after: place.after }) },
        });

  return async (raw, { facets = () => [], isCountOnly = false } = {}) => {
    const query = parseQuery(raw, settings.limits);
    if (query.isErr()) return err(query.error);
    const place = placeFor(query.value);
    if (place.isErr()) return err(place.error);
    const copy = catalog.copy();
    const known = copy.isOk() ? copy.value.catalog : undefined;
    const notes: SearchNote[] = [];
    if (!known) {
      const may = withoutCatalog(query.value);
      if (may.isErr()) return err(may.error);
      notes.push('NoCatalog');
    }
    const { text } = query.value;
    const typed = text !== '' && analyzer.terms(text).some((term) => term !== '') ? text : '';
    if (text !== '' && typed === '') notes.push('TextIgnored');
    const nowMs = place.value?.nowMs ?? clock.nowMs();
    const asked = requestOf(query.value, known, place.value, nowMs);
    if (asked.isErr()) return err(asked.error);
    const cap = sellerCap(query.value, settings.sellerOffersMax);
    const page = isCountOnly ? { limit: 0 } : { ...asked.value.page, ...(cap && { cap }) };
    const base: SearchRequest = { ...asked.value, page };
    const counted = known ? facets(known, query.value) : [];
    const answer = await executeSpelled(
      (words) => index.execute({ ...base, facets: counted, ...(words !== '' && { text: { words } }) }),
      {
        typed,
        fixed: place.value && place.value.corrected,
        isAsked: query.value.spelling === 'auto',
        correct: (words) => spelling.correct(words, known),
      },
    );
    if (answer.isErr()) return err(asBuyersError(answer.error));
    const { words, correction } = answer.value;
    if (answer.value.answer.cut) notes.push('Cut');
    return ok({
      query: query.value,
      known,
      place: place.value,
      nowMs,
      request: { ...base, ...(words !== '' && { text: { words } }) },
      words,
      correction,
      answer: answer.value.answer,
      notes,
    });
  };
};

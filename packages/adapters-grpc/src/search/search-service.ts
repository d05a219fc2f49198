import { cardToPb, eventKindFromPb } from '@doska/adapters-proto';
import {
  FilterType as PbType,
  SearchServiceDefinition,
  type AnswerSnippet,
  type Name,
  type SearchFilter,
  type SearchOffersRequest,
  type SearchOffersResponse,
} from '@doska/adapters-proto/generated/doska/search/v1/search_service';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import type { Names } from '@doska/core/catalog';
import { invalidInput, type Access, type InvalidInput } from '@doska/core/kernel';
import {
  formatFilter,
  type CountedFilter,
  type FilterType,
  type FilterSpec,
  type FoundOffers,
  type RawQuery,
  type SearchApi,
} from '@doska/core/search';
import type { GluedSnippet } from '@doska/core/snippets';
import { err, ok, ResultAsync, type Result } from 'neverthrow';
import { formatToPb } from '../snippets/snippet.mapper.ts';
import { filterExplanationToPb, offerExplanationToPb } from './explanations.mapper.ts';
import { spellingToPb } from './spelling.mapper.ts';
import { suggestionsToPb } from './suggestions.mapper.ts';

export type SearchServiceNeeds = Pick<
  SearchApi,
  'searchOffers' | 'suggest' | 'getFilters' | 'explainFilter' | 'explainOffer' | 'recordEvents'
> & {
  /** Calls per minute and address without a token; 0 asks for a token. */
  readonly ratePerMinute: number;
};

const TYPES: Record<FilterType, PbType> = {
  values: PbType.FILTER_TYPE_VALUES,
  range: PbType.FILTER_TYPE_RANGE,
  flag: PbType.FILTER_TYPE_FLAG,
  place: PbType.FILTER_TYPE_PLACE,
  age: PbType.FILTER_TYPE_AGE,
};
const nameToPb = (names: Names | undefined): Name | undefined => names && { ru: names.ru, en: names.en };

const filterToPb = (filter: CountedFilter): SearchFilter => ({
  id: filter.id,
  name: nameToPb(filter.names),
  type: TYPES[filter.type],
  values: filter.values.map(({ id, names, count }) => ({ id, name: nameToPb(names), count: BigInt(count) })),
  min: filter.range.min,
  max: filter.range.max,
  foundMin: filter.stats?.min,
  foundMax: filter.stats?.max,
  unit: filter.unit ?? '',
  coverage: filter.coverage,
  exact: filter.exact,
  chosen: filter.chosen ? formatFilter(filter.chosen) : '',
});
/** A filter that was not counted. */
const specToPb = ({ field: _, ...spec }: FilterSpec): SearchFilter =>
  filterToPb({
    ...spec,
    values: spec.values.map((value) => ({ ...value, count: 0 })),
    stats: undefined,
    exact: false,
    chosen: undefined,
  });
const queryFromPb = ({
  filter,
  snippetNames: _names,
  snippetLanguage: _language,
  ...query
}: SearchOffersRequest): RawQuery => ({ ...query, pageSize: query.pageSize, filters: filter });
const innerQuery = (query: SearchOffersRequest | undefined): Result<RawQuery, InvalidInput> =>
  query
    ? ok(queryFromPb(query))
    : err(
        invalidInput({
          path: 'query',
          code: 'Missing',
          message: 'the search; `{}` is one without conditions',
        }),
      );
const snippetToPb = (
  name: string,
  key: string,
  { format, bytes }: GluedSnippet['content'],
): AnswerSnippet => ({
  name,
  key,
  format: formatToPb(format),
  content: bytes,
});
const foundToPb = (found: FoundOffers): SearchOffersResponse => ({
  offers: found.offers.map(({ offerId, card, score, highlights, snippets }) => ({
    offerId,
    score,
    card: card && cardToPb(card),
    highlights: [...highlights],
    snippets: Object.entries(snippets).map(([name, content]) => snippetToPb(name, '', content)),
  })),
  snippets: found.snippets.map(({ name, key, content }) => snippetToPb(name, key, content)),
  total: BigInt(found.total),
  categories: found.categories.map(({ id, names, count }) => ({
    categoryId: id,
    name: nameToPb(names),
    count: BigInt(count),
  })),
  filters: found.filters.map(filterToPb),
  nextPageToken: found.nextPageToken,
  queryId: found.queryId,
  heldBack: BigInt(found.heldBack),
  spelling: found.spelling && spellingToPb(found.spelling),
  notes: [...found.notes],
  epoch: BigInt(found.epoch),
  searcher: found.searcher,
  generation: BigInt(found.generation),
  indexAgeMs: BigInt(Math.round(found.indexAgeMs)),
});

export const searchService = (needs: SearchServiceNeeds): RpcService => {
  const { searchOffers, suggest, getFilters, explainFilter, explainOffer, recordEvents, ratePerMinute } =
    needs;
  const buyers: Access =
    ratePerMinute > 0
      ? { public: { ratePerMinute } }
      : { roles: ['service', 'operator', 'seller', 'anonymous'] };
  return rpcService({
    definition: SearchServiceDefinition,
    access: {
      searchOffers: buyers,
      suggest: buyers,
      getFilters: buyers,
      explainFilter: buyers,
      recordSearchEvents: buyers,
      explainOffer: { roles: ['service', 'operator'] },
    },
    errors: {},
    handlers: {
      searchOffers: (pb) =>
        new ResultAsync(
          searchOffers(queryFromPb(pb), { names: pb.snippetNames, language: pb.snippetLanguage }),
        ).map(foundToPb),
      suggest: (pb) => new ResultAsync(suggest(pb)).map((found) => suggestionsToPb(found, nameToPb)),
      recordSearchEvents: ({ queryId, events }) =>
        new ResultAsync(
          recordEvents({
            queryId,
            events: events.map(({ offerId, kind }) => ({ offerId, kind: eventKindFromPb(kind) })),
          }),
        ).map((taken) => ({ taken })),
      getFilters: ({ category }) =>
        new ResultAsync(getFilters(category)).map((filters) => ({ filters: filters.map(specToPb) })),
      explainFilter: ({ query, filterId }) =>
        innerQuery(query)
          .asyncAndThen((raw) => new ResultAsync(explainFilter(raw, filterId)))
          .map((found) => filterExplanationToPb(found, nameToPb)),
      explainOffer: ({ query, offerId }) =>
        innerQuery(query)
          .asyncAndThen((raw) => new ResultAsync(explainOffer(raw, offerId)))
          .map(offerExplanationToPb),
    },
  });
};

import { cardToPb } from '@doska/adapters-proto';
import {
  FilterType as PbType,
  SpellingReason as PbReason,
  SearchServiceDefinition,
  type Name,
  type SearchFilter,
  type SearchOffersResponse,
} from '@doska/adapters-proto/generated/doska/search/v1/search_service';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import type { Names } from '@doska/core/catalog';
import type { Access } from '@doska/core/kernel';
import {
  formatFilter,
  type CountedFilter,
  type FilterType,
  type FoundOffers,
  type SearchApi,
  type SpellingReason,
} from '@doska/core/search';
import { ResultAsync } from 'neverthrow';

export type SearchServiceNeeds = Pick<SearchApi, 'searchOffers'> & {
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
const REASONS: Record<SpellingReason, PbReason> = {
  typo: PbReason.SPELLING_REASON_TYPO,
  layout: PbReason.SPELLING_REASON_LAYOUT,
  transliteration: PbReason.SPELLING_REASON_TRANSLITERATION,
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
const foundToPb = (found: FoundOffers): SearchOffersResponse => ({
  offers: found.offers.map(({ offerId, card, score, highlights }) => ({
    offerId,
    score,
    card: card && cardToPb(card),
    highlights: [...highlights],
  })),
  total: BigInt(found.total),
  categories: found.categories.map(({ id, names, count }) => ({
    categoryId: id,
    name: nameToPb(names),
    count: BigInt(count),
  })),
  filters: found.filters.map(filterToPb),
  nextPageToken: found.nextPageToken,
  spelling: found.spelling && {
    original: found.spelling.original,
    corrected: found.spelling.corrected,
    words: found.spelling.words.map(({ from, to, reason }) => ({ from, to, reason: REASONS[reason] })),
  },
  notes: [...found.notes],
  epoch: BigInt(found.epoch),
  searcher: found.searcher,
  generation: BigInt(found.generation),
  indexAgeMs: BigInt(Math.round(found.indexAgeMs)),
});

export const searchService = ({ searchOffers, ratePerMinute }: SearchServiceNeeds): RpcService => {
  const buyers: Access =
    ratePerMinute > 0
      ? { public: { ratePerMinute } }
      : { roles: ['service', 'operator', 'seller', 'anonymous'] };
  return rpcService({
    definition: SearchServiceDefinition,
    access: { searchOffers: buyers },
    errors: {},
    handlers: {
      searchOffers: ({ text, category, filter, sort, near, pageSize, pageToken, spelling }) =>
        new ResultAsync(
          searchOffers({ text, category, filters: filter, sort, near, pageSize, pageToken, spelling }),
        ).map(foundToPb),
    },
  });
};

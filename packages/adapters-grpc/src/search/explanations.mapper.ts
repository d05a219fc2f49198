import type {
  ExplainFilterResponse,
  ExplainOfferResponse,
  Name,
} from '@doska/adapters-proto/generated/doska/search/v1/search_service';
import type { Names } from '@doska/core/catalog';
import type { FilterExplanation, OfferExplanation } from '@doska/core/search';
import { spellingToPb } from './spelling.mapper.ts';

type PbCategory = ExplainFilterResponse['having'][number];

export const filterExplanationToPb = (
  found: FilterExplanation,
  nameToPb: (names: Names | undefined) => Name | undefined,
): ExplainFilterResponse => {
  const categories = (list: FilterExplanation['having']): PbCategory[] =>
    list.map(({ id, names, count }) => ({ categoryId: id, name: nameToPb(names), count: BigInt(count) }));
  return {
    shown: found.shown,
    reason: found.reason,
    name: nameToPb(found.names),
    coverage: found.coverage,
    coverageMin: found.coverageMin,
    having: categories(found.having),
    lacking: categories(found.lacking),
  };
};

export const offerExplanationToPb = (found: OfferExplanation): ExplainOfferResponse => ({
  found: found.found,
  rank: found.rank === undefined ? undefined : BigInt(found.rank),
  page: found.page === undefined ? undefined : BigInt(found.page),
  total: BigInt(found.total),
  exclusions: [...found.exclusions],
  version: found.version === undefined ? undefined : BigInt(found.version),
  score: found.score && {
    words: found.score.words.map(({ word, documents, counts, score }) => ({
      word,
      offers: BigInt(documents),
      fields: counts.map(({ field }) => field),
      score,
    })),
    relevance: found.score.relevance,
    boosts: found.score.boosts.map(({ field, value, factor }) => ({ field, value, factor })),
    total: found.score.total,
  },
  spelling: found.spelling && spellingToPb(found.spelling),
  cut: found.cut,
  epoch: BigInt(found.epoch),
  searcher: found.searcher,
  generation: BigInt(found.generation),
  indexAgeMs: BigInt(Math.round(found.indexAgeMs)),
});

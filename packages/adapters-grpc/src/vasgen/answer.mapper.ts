import { placeFromPb, placeToPb } from '@doska/adapters-proto';
import type {
  ExecuteResponse,
  FacetCounts as PbFacetCounts,
} from '@doska/adapters-proto/generated/doska/vasgen/v1/searcher_service';
import type { FacetCounts, Hit, SearchAnswer } from '@doska/core/vasgen';
import { cursorFromPb, cursorToPb } from './query.mapper.ts';

const facetToPb = ({ name, counts, exact, stats }: FacetCounts): PbFacetCounts => ({
  name,
  exact,
  counts: counts.map(({ value, count }) => ({ value: String(value), count: BigInt(count) })),
  stats: stats && { count: BigInt(stats.count), min: stats.min, max: stats.max },
});
/** Values of booleans and ranges come back as text: who asked knows what the field is. */
const facetFromPb = ({ name, counts, exact, stats }: PbFacetCounts): FacetCounts => ({
  name,
  exact,
  counts: counts.map(({ value, count }) => ({ value, count: Number(count) })),
  ...(stats && {
    stats: {
      count: Number(stats.count),
      ...(stats.min !== undefined && { min: stats.min }),
      ...(stats.max !== undefined && { max: stats.max }),
    },
  }),
});

export const answerToPb = (answer: SearchAnswer): ExecuteResponse => ({
  hits: answer.hits.map(({ pk, score, cursor, freshness }) => ({
    pk,
    score,
    cursor: cursorToPb(cursor),
    place: placeToPb(freshness),
  })),
  total: BigInt(answer.total),
  facets: answer.facets.map(facetToPb),
  cut: answer.cut ?? '',
  epoch: BigInt(answer.epoch),
  searcher: answer.searcher,
  generation: BigInt(answer.generation),
  indexAgeMs: BigInt(Math.round(answer.indexAgeMs)),
  heldBack: answer.heldBack === undefined ? undefined : BigInt(answer.heldBack),
});

const NO_PLACE = { epoch: 0n, version: 0n, timestampMs: 0n, expiry: false };
export const answerFromPb = (pb: ExecuteResponse): SearchAnswer => ({
  hits: pb.hits.map(({ pk, score, cursor, place }): Hit => ({
    pk,
    score,
    cursor: cursorFromPb(cursor ?? { values: [], pk }),
    freshness: placeFromPb(place ?? NO_PLACE),
  })),
  total: Number(pb.total),
  facets: pb.facets.map(facetFromPb),
  epoch: Number(pb.epoch),
  searcher: pb.searcher,
  generation: Number(pb.generation),
  indexAgeMs: Number(pb.indexAgeMs),
  ...(pb.heldBack !== undefined && { heldBack: Number(pb.heldBack) }),
  ...(pb.cut === 'time' || pb.cut === 'memory' ? { cut: pb.cut } : {}),
});

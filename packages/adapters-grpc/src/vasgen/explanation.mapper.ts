import { placeFromPb, placeToPb } from '@doska/adapters-proto';
import {
  DocumentState,
  type ExplainedCondition as PbCondition,
  type ExplainResponse,
  type SeenValue,
} from '@doska/adapters-proto/generated/doska/vasgen/v1/searcher_service';
import type { ExplainAnswer, ExplainedCondition, FieldValue } from '@doska/core/vasgen';

const isTexts = (value: readonly (number | string)[]): value is readonly string[] =>
  typeof value[0] === 'string';
const valueToPb = (value: FieldValue): SeenValue => {
  if (typeof value === 'string') return { value: { $case: 'text', value } };
  if (typeof value === 'number') return { value: { $case: 'number', value } };
  if (typeof value === 'boolean') return { value: { $case: 'flag', value } };
  if ('lat' in value) return { value: { $case: 'point', value } };
  return isTexts(value)
    ? { value: { $case: 'texts', value: { values: [...value] } } }
    : { value: { $case: 'numbers', value: { values: [...value] } } };
};
const valueFromPb = ({ value }: SeenValue): FieldValue | undefined => {
  if (value?.$case === 'texts' || value?.$case === 'numbers') return value.value.values;
  return value?.value;
};

const conditionToPb = ({ path, kind, field, holds, value }: ExplainedCondition): PbCondition => ({
  path,
  kind,
  field: field ?? '',
  holds,
  value: value === undefined ? undefined : valueToPb(value),
});
const conditionFromPb = ({ path, kind, field, holds, value: seen }: PbCondition): ExplainedCondition => {
  const value = seen && valueFromPb(seen);
  return {
    path,
    kind: kind as ExplainedCondition['kind'],
    holds,
    ...(field !== '' && { field }),
    ...(value !== undefined && { value }),
  };
};

const ABSENT = {
  matches: false,
  text: undefined,
  conditions: [],
  boosts: [],
  relevance: 0,
  score: 0,
  cut: '',
};
export const explanationToPb = (found: ExplainAnswer): ExplainResponse => {
  const common = {
    epoch: BigInt(found.epoch),
    searcher: found.searcher,
    generation: BigInt(found.generation),
    indexAgeMs: BigInt(Math.round(found.indexAgeMs)),
  };
  if (found.state === 'unknown')
    return { ...common, ...ABSENT, state: DocumentState.DOCUMENT_STATE_UNKNOWN, place: undefined };
  const place = placeToPb(found.freshness);
  if (found.state === 'tombstone')
    return { ...common, ...ABSENT, state: DocumentState.DOCUMENT_STATE_TOMBSTONE, place };
  return {
    ...common,
    state: DocumentState.DOCUMENT_STATE_ALIVE,
    place,
    matches: found.matches,
    rank: found.rank === undefined ? undefined : BigInt(found.rank),
    text: found.text && {
      holds: found.text.holds,
      words: found.text.words.map(({ word, holds, documents, counts, score }) => ({
        word,
        holds,
        documents: BigInt(documents),
        counts: [...counts],
        score,
      })),
    },
    conditions: found.conditions.map(conditionToPb),
    relevance: found.relevance,
    boosts: found.boosts.map(({ field, value, factor }) => ({ field, value, factor })),
    score: found.score,
    cut: found.cut ?? '',
  };
};

const NO_PLACE = { epoch: 0n, version: 0n, timestampMs: 0n, expiry: false };
export const explanationFromPb = (pb: ExplainResponse): ExplainAnswer => {
  const common = {
    epoch: Number(pb.epoch),
    searcher: pb.searcher,
    generation: Number(pb.generation),
    indexAgeMs: Number(pb.indexAgeMs),
  };
  const freshness = placeFromPb(pb.place ?? NO_PLACE);
  if (pb.state === DocumentState.DOCUMENT_STATE_TOMBSTONE)
    return { ...common, state: 'tombstone', freshness };
  if (pb.state !== DocumentState.DOCUMENT_STATE_ALIVE) return { ...common, state: 'unknown' };
  return {
    ...common,
    state: 'alive',
    freshness,
    matches: pb.matches,
    ...(pb.text && {
      text: {
        holds: pb.text.holds,
        words: pb.text.words.map((word) => ({ ...word, documents: Number(word.documents) })),
      },
    }),
    conditions: pb.conditions.map(conditionFromPb),
    relevance: pb.relevance,
    boosts: pb.boosts.map(({ field, value, factor }) => ({
      field,
      factor,
      ...(value !== undefined && { value }),
    })),
    score: pb.score,
    ...(pb.rank !== undefined && { rank: Number(pb.rank) }),
    ...((pb.cut === 'time' || pb.cut === 'memory') && { cut: pb.cut }),
  };
};

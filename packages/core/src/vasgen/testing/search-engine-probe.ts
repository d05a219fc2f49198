import type { Result } from 'neverthrow';
import { expect } from 'vitest';
import type { DocumentFields, IndexChange } from '../engine/index-change.ts';
import type { IndexSchema } from '../engine/index-schema.ts';
import type { Hit, QueryAnswer, QueryPlan } from '../engine/query-plan.ts';
import type { IndexInfo, SearchEngine } from '../engine/search-engine.port.ts';
import type { IndexName, ServingName } from '../engine/index-name.ts';
import { sampleSchema } from './vasgen.arbitraries.ts';

let made = 0;
export const freshName = (what = 'index'): IndexName =>
  `${what}-${++made}-${Math.random().toString(36).slice(2, 10)}` as IndexName;
export const freshServing = (): ServingName => freshName('serving') as string as ServingName;

export const freshIndex = async (
  engine: SearchEngine,
  { epoch = 1, schema = sampleSchema }: { readonly epoch?: number; readonly schema?: IndexSchema } = {},
): Promise<IndexName> => {
  const name = freshName();
  expect((await engine.create({ name, epoch, schema })).isOk()).toBe(true);
  return name;
};

type Place = { readonly epoch?: number; readonly version?: number; readonly timestampMs?: number };
export const upsert = (
  pk: string,
  fields: DocumentFields,
  { epoch = 1, version = 1, timestampMs = 1 }: Place = {},
): IndexChange => ({
  pk,
  freshness: { epoch, version, timestampMs, kind: 'document' },
  event: 'upsert',
  fields,
});
export const remove = (pk: string, { epoch = 1, version = 1, timestampMs = 1 }: Place = {}): IndexChange => ({
  pk,
  freshness: { epoch, version, timestampMs, kind: 'document' },
  event: 'delete',
});
export const expiry = (pk: string, place: Place = {}): IndexChange => {
  const gone = remove(pk, place);
  return { ...gone, freshness: { ...gone.freshness, kind: 'expiry' } };
};

/** Applied and visible; the verdicts by their kinds. */
export const feed = async (
  engine: SearchEngine,
  index: IndexName,
  changes: readonly IndexChange[],
): Promise<readonly string[]> => {
  const verdicts = (await engine.apply(index, changes))._unsafeUnwrap();
  (await engine.flush(index))._unsafeUnwrap();
  return verdicts.map(({ kind }) => kind);
};

export const ask = async (engine: SearchEngine, index: IndexName, plan: QueryPlan): Promise<QueryAnswer> =>
  (await engine.execute({ index }, plan))._unsafeUnwrap();
export const pksOf = ({ hits }: { readonly hits: readonly Hit[] }): readonly string[] =>
  hits.map(({ pk }) => pk);
export const everything: QueryPlan = { page: { limit: 1000 } };

export const infoOf = async (engine: SearchEngine, index: IndexName): Promise<IndexInfo> =>
  (await engine.indexes())._unsafeUnwrap().find(({ name }) => name === index)!;
export const errorOf = (result: Result<unknown, { readonly kind: string }>): string =>
  result.match(
    () => 'no error',
    ({ kind }) => kind,
  );

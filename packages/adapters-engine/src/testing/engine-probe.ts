import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@doska/core/kernel/testing';
import type { IndexChange, IndexName, QueryPlan, SearchEngine } from '@doska/core/vasgen';
import {
  applyTo,
  disagreements,
  documentsOf,
  emptyIndex,
  plainAnalyzer,
  referenceQuery,
  sampleFacets,
  sampleSchema,
  type ReferenceIndex,
} from '@doska/core/vasgen/testing';
import { openEmbeddedEngine, type EmbeddedEngine, type EngineSettings } from '../engine/embedded-engine.ts';

export const sampleSpec = { name: 'sample' as IndexName, epoch: 1, schema: sampleSchema };

export const openedIn = async (dir: string, settings: EngineSettings = {}): Promise<EmbeddedEngine> =>
  (
    await openEmbeddedEngine({
      analyzer: plainAnalyzer,
      clock: realClock,
      segmentDocuments: 8,
      horizonMs: Infinity,
      dir,
      ...settings,
    })
  )._unsafeUnwrap();

/** A folder that goes when `work` is over. */
export const inFolder = async <T>(work: (dir: string) => Promise<T>): Promise<T> => {
  const dir = mkdtempSync(join(tmpdir(), 'doska-engine-'));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

/** What the log applied from zero gives. */
export const truthOf = (history: readonly IndexChange[]): ReferenceIndex => {
  const truth = emptyIndex(sampleSpec);
  for (const change of history) applyTo(truth, plainAnalyzer, change);
  return truth;
};

const page = { limit: 1000 };
export const probes: readonly QueryPlan[] = [
  { page, facets: sampleFacets },
  { page, text: { words: 'диван' }, facets: sampleFacets },
  { page, text: { words: 'ст', prefixLast: true } },
  {
    page,
    text: { words: 'стол phone', match: 'any' },
    sort: [{ by: 'column', field: 'price', direction: 'desc' }],
  },
  { page, text: { words: 'диван и стол', match: 'phrase' } },
  {
    page,
    filter: { kind: 'terms', field: 'category', values: ['auto', 'home'] },
    sort: [{ by: 'column', field: 'city', direction: 'asc' }],
  },
  {
    page,
    filter: { kind: 'exists', field: 'look' },
    sort: [{ by: 'similarity', field: 'look', to: [1, 2, 3] }],
  },
  { page, filter: { kind: 'terms', field: 'tags', values: ['new', 'red'] } },
  { page, filter: { kind: 'terms', field: 'codes', values: ['A1'] } },
  { page, filter: { kind: 'exists', field: 'codes' } },
  { page, sort: [{ by: 'distance', field: 'place', from: { lat: 10, lon: 20 } }] },
];

/** Where an engine's index differs from the truth: answers, documents, tombstones. */
export const differences = async (
  engine: SearchEngine,
  truth: ReferenceIndex,
): Promise<readonly string[]> => {
  const { name } = truth.spec;
  const documents = documentsOf(truth);
  const faults: string[] = [];
  const info = (await engine.indexes())._unsafeUnwrap().find((one) => one.name === name);
  if (info?.documents !== documents.length)
    faults.push(`${info?.documents} documents, not ${documents.length}`);
  const tombstones = truth.rows.size - documents.length;
  if (info?.tombstones !== tombstones) faults.push(`${info?.tombstones} tombstones, not ${tombstones}`);
  for (const plan of probes) {
    const answer = await engine.execute({ index: name }, plan);
    if (answer.isErr()) faults.push(answer.error.kind);
    else
      faults.push(
        ...disagreements(referenceQuery(documents, plainAnalyzer, plan), answer.value, plan, {
          scores: true,
        }),
      );
  }
  return faults;
};

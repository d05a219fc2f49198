import {
  applyTo,
  disagreements,
  documentsOf,
  historyArbitrary,
  plainAnalyzer,
  planArbitrary,
  referenceQuery,
  sampleFacets,
  sampleSchema,
  type ReferenceIndex,
} from '@doska/core/vasgen/testing';
import type { IndexChange, IndexName, QueryPlan } from '@doska/core/vasgen';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SearchIndex } from '../index/search-index.ts';
import { execute } from './execute.ts';

const spec = { name: 'test' as IndexName, epoch: 1, schema: sampleSchema };
const limits = { timeMs: 10_000, bytes: 1 << 28, completions: 10_000, nowMs: () => 0 };
const whole = (plan: QueryPlan): QueryPlan => ({ ...plan, page: { limit: 1000 } });

/** `rest` decides how many slices of upkeep run after each change: sealing and compacting happen in between. */
const compare = (
  history: readonly IndexChange[],
  plans: readonly QueryPlan[],
  segmentDocuments: number,
  rest: number,
) => {
  const index = new SearchIndex({ spec, analyzer: plainAnalyzer, segmentDocuments, horizonMs: 1e9 });
  const truth: ReferenceIndex = { spec, rows: new Map(), positions: new Map(), caughtUp: false };
  for (const [at, change] of history.entries()) {
    expect(index.apply(change)).toEqual(applyTo(truth, plainAnalyzer, change));
    for (let slice = 0; slice < rest; slice++) index.upkeep(0);
    const plan = plans[at % plans.length];
    // Between changes too: a segment that is half sealed, or being rewritten, answers like any other.
    if (at % 7 === 0 && plan) {
      const all = referenceQuery(documentsOf(truth), plainAnalyzer, whole(plan));
      expect(disagreements(all, execute(index, plan, limits), plan, { scores: true })).toEqual([]);
    }
  }
  const documents = documentsOf(truth);
  expect(index.aliveCount).toBe(documents.length);
  expect(index.buriedCount).toBe(truth.rows.size - documents.length);
  for (const plan of plans) {
    const all = referenceQuery(documents, plainAnalyzer, whole(plan));
    const faults = disagreements(all, execute(index, plan, limits), plan, { scores: true });
    expect(faults, JSON.stringify(plan)).toEqual([]);
  }
};

const plans = fc.array(planArbitrary(), { minLength: 4, maxLength: 8 });
test('[V8] results, counts, orders and scores equal the reference on thousands of corpora and queries', () => {
  fc.assert(
    fc.property(
      historyArbitrary(1, 40, 80),
      plans,
      fc.integer({ min: 2, max: 90 }),
      fc.nat({ max: 3 }),
      compare,
    ),
    { numRuns: 1500 },
  );
}, 60_000);

test('[V8] one word without conditions, with and without a boost, equals the reference too', () => {
  const words = fc.constantFrom('диван', 'стол', 'phone', 'елка', 'x1', 'плес');
  const broad = fc
    .record({ words, isBoosted: fc.boolean(), limit: fc.nat({ max: 6 }) })
    .map(({ words: one, isBoosted, limit }): QueryPlan => ({
      text: { words: one },
      page: { limit },
      facets: sampleFacets.filter(({ kind }) => kind === 'terms'),
      ...(isBoosted ? { boosts: [{ kind: 'factor', field: 'price', weight: 0.5 }] } : {}),
    }));
  fc.assert(
    fc.property(
      historyArbitrary(1, 40, 80),
      fc.array(broad, { minLength: 4, maxLength: 8 }),
      fc.integer({ min: 2, max: 90 }),
      fc.nat({ max: 3 }),
      compare,
    ),
    { numRuns: 300 },
  );
}, 60_000);

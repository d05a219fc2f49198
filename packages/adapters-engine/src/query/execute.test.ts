import {
  applyTo,
  changeArbitrary,
  disagreements,
  documentsOf,
  emptyIndex,
  historyArbitrary,
  plainAnalyzer,
  planArbitrary,
  referenceQuery,
  sampleFacets,
  sampleSchema,
  upsert,
} from '@doska/core/vasgen/testing';
import type { Boost, IndexChange, IndexName, QueryPlan } from '@doska/core/vasgen';
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
  const truth = emptyIndex(spec);
  for (const [at, change] of history.entries()) {
    expect(index.apply(change, 0)).toEqual(applyTo(truth, plainAnalyzer, change));
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
  // As upkeep left it, and with everything sealed and clustered.
  for (const isSettled of [false, true]) {
    while (isSettled && index.upkeep(0));
    for (const plan of plans) {
      const all = referenceQuery(documents, plainAnalyzer, whole(plan));
      const faults = disagreements(all, execute(index, plan, limits), plan, { scores: true });
      expect(faults, JSON.stringify(plan)).toEqual([]);
    }
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

const words = fc.constantFrom('диван', 'стол', 'phone', 'елка', 'x1', 'плес');
const boosts = fc.constantFrom<readonly Boost[]>([], [{ kind: 'factor', field: 'price', weight: 0.5 }]);
const termFacets = sampleFacets.filter(({ kind }) => kind === 'terms');

const broad = fc
  .record({ words, boosts, limit: fc.nat({ max: 6 }) })
  .map(({ words: one, limit, ...rest }): QueryPlan => ({
    ...rest,
    text: { words: one },
    page: { limit },
    facets: termFacets,
  }));
const terms = fc.oneof(
  fc.subarray(['auto', 'home', 'job', 'dog', 'nowhere']).map((values) => ({ field: 'category', values })),
  fc.subarray(['lada', 'kia', 'ёж']).map((values) => ({ field: 'brand', values })),
  fc.subarray([true, false]).map((values) => ({ field: 'fresh', values })),
);
const narrow = fc
  .record({ text: fc.array(words, { maxLength: 3 }), of: fc.array(terms, { minLength: 1, maxLength: 3 }) })
  .map(({ text, of }): QueryPlan => ({
    text: { words: text.join(' ') },
    filter: { kind: 'all', of: of.map((one) => ({ kind: 'terms', ...one })) },
    page: { limit: 20 },
    facets: termFacets,
  }));

test('[V8] one word without conditions, with and without a boost, equals the reference too', () => {
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

test('[V8] conditions on values, with words and without, equal the reference in sealed segments too', () => {
  fc.assert(
    fc.property(
      historyArbitrary(1, 100, 150),
      fc.array(narrow, { minLength: 8, maxLength: 16 }),
      fc.integer({ min: 20, max: 90 }),
      fc.nat({ max: 9 }),
      compare,
    ),
    { numRuns: 1000 },
  );
}, 60_000);

test('[V8] boosts below zero reverse the order and exclude no document', () => {
  const index = new SearchIndex({ spec, analyzer: plainAnalyzer, horizonMs: 1e9 });
  index.apply(upsert('short', { body: 'стол', price: -2.5 }), 0);
  index.apply(upsert('long', { body: `стол ${'диван '.repeat(60)}`, price: -3 }), 0);
  const plan: QueryPlan = {
    text: { words: 'стол' },
    boosts: [{ kind: 'factor', field: 'price', weight: 0.5 }],
    page: { limit: 1 },
  };
  expect(execute(index, plan, limits).hits).toMatchObject([{ pk: 'long' }]);
});

test('[V8] segments of hundreds of documents, where lists, bitmaps and clusters are long, equal the reference too', () => {
  const history = fc.sample(changeArbitrary(1, 1500), { numRuns: 2500, seed: 8 });
  const asked = [planArbitrary(), broad, narrow].flatMap((plans) =>
    fc.sample(plans, { numRuns: 200, seed: 8 }),
  );
  for (const [segmentDocuments, rest] of [
    [700, 3],
    [1000, 0],
  ] as const) {
    const index = new SearchIndex({ spec, analyzer: plainAnalyzer, segmentDocuments, horizonMs: 1e9 });
    const truth = emptyIndex(spec);
    for (const change of history) {
      expect(index.apply(change, 0)).toEqual(applyTo(truth, plainAnalyzer, change));
      for (let slice = 0; slice < rest; slice++) index.upkeep(0);
    }
    const documents = documentsOf(truth);
    for (const plan of asked) {
      const all = referenceQuery(documents, plainAnalyzer, { ...plan, page: { limit: 10_000 } });
      expect(disagreements(all, execute(index, plan, limits), plan, { scores: true })).toEqual([]);
    }
    while (index.upkeep(0));
    expect(index.segments.filter(({ isSealed }) => isSealed).length).toBeGreaterThan(0);
    for (const plan of asked) {
      const all = referenceQuery(documents, plainAnalyzer, { ...plan, page: { limit: 10_000 } });
      const faults = disagreements(all, execute(index, plan, limits), plan, { scores: true });
      expect(faults, JSON.stringify(plan)).toEqual([]);
    }
  }
}, 120_000);

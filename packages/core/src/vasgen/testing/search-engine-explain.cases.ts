import fc from 'fast-check';
import { expect } from 'vitest';
import { sortOf } from '../engine/check-plan.ts';
import { isOutermost, type ExplainedDocument, type Explanation } from '../engine/explanation.ts';
import type { IndexName } from '../engine/index-name.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { SearchEngine } from '../engine/search-engine.port.ts';
import { referenceExplanation } from './reference-explanation.ts';
import { applyTo, emptyIndex } from './reference-index.ts';
import type { SearchEngineCase } from './search-engine-harness.ts';
import {
  ask,
  errorOf,
  everything,
  feed,
  freshIndex,
  freshName,
  freshServing,
  remove,
  upsert,
} from './search-engine-probe.ts';
import { historyArbitrary, planArbitrary, sampleSchema } from './vasgen.arbitraries.ts';

const explain = async (
  engine: SearchEngine,
  index: IndexName,
  plan: QueryPlan,
  pk: string,
): Promise<Explanation> => (await engine.explain({ index }, plan, pk))._unsafeUnwrap();
const alive = async (...asked: Parameters<typeof explain>): Promise<ExplainedDocument> => {
  const found = await explain(...asked);
  expect(found.state).toBe('alive');
  return found as ExplainedDocument & Explanation;
};
const isClose = (a: number, b: number): boolean =>
  Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b));

/** What two engines must say alike: not the scores, where an engine promises none, nor the rank that they make. */
const saidAlike = ({ text, ...found }: ExplainedDocument): object => ({
  state: found.state,
  freshness: found.freshness,
  matches: found.matches,
  text: text && { holds: text.holds, words: text.words.map(({ word, holds }) => [word, holds]) },
  conditions: found.conditions,
});
const scoresOf = ({ text, relevance, boosts, score }: ExplainedDocument): readonly number[] => [
  relevance,
  score,
  ...boosts.map(({ factor }) => factor),
  ...(text?.words ?? []).map((word) => word.score),
];

export const explainCases: readonly SearchEngineCase[] = [
  {
    title:
      '[S8] an explanation equals the brute-force reference for every document of random corpora and plans',
    run: async ({ engine, analyzer, promises }) => {
      const plans = fc.array(planArbitrary({ vectors: promises.vectors }), { minLength: 2, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(historyArbitrary(1, 12, 30), plans, async (history, asked) => {
          const spec = { name: await freshIndex(engine), epoch: 1, schema: sampleSchema };
          const truth = emptyIndex(spec);
          for (const change of history) applyTo(truth, analyzer, change);
          await feed(engine, spec.name, history);
          for (const plan of asked) {
            const { hits } = await ask(engine, spec.name, { ...plan, page: { limit: 1000 } });
            for (const pk of [...truth.rows.keys(), 'nothing']) {
              const right = referenceExplanation(truth, analyzer, plan, pk);
              const found = await explain(engine, spec.name, plan, pk);
              if (right.state !== 'alive' || found.state !== 'alive') {
                expect({ ...found, generation: 0 }).toEqual({ ...right, generation: 0 });
                continue;
              }
              expect(saidAlike(found), JSON.stringify(plan)).toEqual(saidAlike(right));
              const at = hits.findIndex((hit) => hit.pk === pk);
              expect([pk, found.rank], JSON.stringify(plan)).toEqual([pk, at < 0 ? undefined : at + 1]);
              expect(found.matches).toBe(
                (found.text?.holds ?? true) &&
                  found.conditions.filter(isOutermost).every(({ holds }) => holds),
              );
              if (!promises.exactScores) continue;
              expect(found.text?.words).toEqual(
                right.text?.words.map((word) => ({
                  ...word,
                  score: expect.closeTo(word.score, 6) as number,
                })),
              );
              const scores = scoresOf(found);
              expect(
                scoresOf(right).every((score, nth) => isClose(score, scores[nth]!)),
                JSON.stringify([scores, scoresOf(right), plan]),
              ).toBe(true);
              if (at >= 0 && sortOf(plan).some(({ by }) => by === 'relevance'))
                expect(isClose(found.score, hits[at]!.score)).toBe(true);
            }
          }
          await engine.drop(spec.name);
        }),
        { numRuns: Math.min(60, promises.corpora ?? 60) },
      );
    },
  },
  {
    title:
      '[S8] an explanation tells which word, condition or choice keeps a document out, and the value it saw',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      await feed(engine, index, [
        upsert('a', { title: 'диван', body: 'диваны и стол', brand: 'kia', price: 5 }),
        upsert('b', { title: 'стол', brand: 'lada' }),
      ]);
      const plan: QueryPlan = {
        text: { words: 'диван и стол' },
        filter: { kind: 'all', of: [{ kind: 'range', field: 'price', min: 3 }] },
        choices: [{ facet: 'brand', filter: { kind: 'terms', field: 'brand', values: ['kia'] } }],
        page: { limit: 10 },
      };
      expect(await alive(engine, index, plan, 'a')).toMatchObject({
        matches: true,
        rank: 1,
        text: {
          holds: true,
          words: [
            { word: 'диван', holds: true, documents: 1, counts: [{ field: 'title' }, { field: 'body' }] },
            { word: 'стол', holds: true, documents: 2, counts: [{ field: 'body', count: 1 }] },
          ],
        },
        conditions: [
          { path: 'filter', kind: 'all', holds: true },
          { path: 'filter.of[0]', kind: 'range', field: 'price', holds: true, value: 5 },
          { path: 'choices[0].filter', kind: 'terms', field: 'brand', holds: true, value: 'kia' },
        ],
      });
      const out = await alive(engine, index, plan, 'b');
      expect(out).toMatchObject({
        matches: false,
        text: { holds: false, words: [{ holds: false, counts: [], score: 0 }, { holds: true }] },
        conditions: [
          { path: 'filter', holds: false },
          { path: 'filter.of[0]', holds: false },
          { path: 'choices[0].filter', holds: false, value: 'lada' },
        ],
      });
      expect(out).not.toHaveProperty('rank');
      expect(out.conditions[1]).not.toHaveProperty('value');
    },
  },
  {
    title: '[S8] an explanation has the parts of the score, also of a document that is no hit',
    run: async ({ engine, promises }) => {
      const index = await freshIndex(engine);
      await feed(engine, index, [
        upsert('a', { title: 'диван', price: 2, year: 2003 }),
        upsert('b', { title: 'стол', price: 2 }),
      ]);
      const boosts = [
        { kind: 'factor', field: 'price', weight: 0.5 },
        { kind: 'recency', field: 'year', weight: 2, now: 2005, halfLife: 2 },
      ] as const;
      const plan: QueryPlan = { boosts, page: { limit: 10 } };
      expect(await alive(engine, index, plan, 'a')).toMatchObject({
        relevance: 1,
        boosts: [
          { field: 'price', value: 2, factor: 2 },
          { field: 'year', value: 2003, factor: 2 },
        ],
        score: 4,
        rank: 1,
      });
      const missed = await alive(engine, index, { ...plan, text: { words: 'диван' } }, 'b');
      expect(missed).toMatchObject({ matches: false, relevance: 0, score: 0 });
      expect(missed.boosts).toEqual([
        { field: 'price', value: 2, factor: 2 },
        { field: 'year', factor: 1 },
      ]);
      const found = await alive(engine, index, { ...plan, text: { words: 'диван' } }, 'a');
      if (promises.exactScores) expect(found.score).toBeCloseTo(4 * found.relevance, 9);
      expect(found.text!.words[0]!.score).toBeCloseTo(found.relevance, 9);
    },
  },
  {
    title:
      '[S8] deleted and unknown documents are told apart, by the serving name too; a wrong plan is refused',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      const serving = freshServing();
      await engine.serve(serving, index);
      await feed(engine, index, [upsert('a', {}), remove('a', { version: 2 })]);
      expect(await explain(engine, index, everything, 'a')).toMatchObject({
        state: 'tombstone',
        freshness: { version: 2 },
      });
      expect((await engine.explain({ serving }, everything, 'b'))._unsafeUnwrap()).toMatchObject({
        state: 'unknown',
      });
      const wrong: QueryPlan = { ...everything, filter: { kind: 'exists', field: 'nothing' } };
      expect(errorOf(await engine.explain({ index }, wrong, 'a'))).toBe('PlanInvalid');
      expect(errorOf(await engine.explain({ index: freshName('ghost') }, everything, 'a'))).toBe(
        'UnknownIndex',
      );
    },
  },
];

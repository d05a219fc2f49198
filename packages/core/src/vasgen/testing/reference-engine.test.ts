import { okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import type { QueryAnswer } from '../engine/query-plan.ts';
import type { SearchEngine } from '../engine/search-engine.port.ts';
import { plainAnalyzer } from './plain-analyzer.ts';
import { referenceEngine } from './reference-engine.ts';
import { searchEngineCases, searchEngineContract } from './search-engine.contract.ts';

const promises = { exactScores: true, vectors: true, corpora: 40 };
searchEngineContract('brute-force reference', {
  open: async () => {
    const engine = referenceEngine({ analyzer: plainAnalyzer });
    return { engine, close: () => engine.close() };
  },
  analyzer: plainAnalyzer,
  promises,
});

const answering =
  (change: (answer: QueryAnswer) => QueryAnswer) =>
  (right: SearchEngine): SearchEngine => ({
    ...right,
    execute: (where, plan) => right.execute(where, plan).map(change),
  });

/** Each is wrong in one promise; the suite must notice. */
const broken: Record<string, (right: SearchEngine) => SearchEngine> = {
  'a last writer that wins': (right) => {
    let clock = 10;
    return {
      ...right,
      apply: (index, changes, progress) =>
        right.apply(
          index,
          changes.map((change) => ({ ...change, freshness: { ...change.freshness, version: clock++ } })),
          progress,
        ),
    };
  },
  'deletes that are forgotten': (right) => ({
    ...right,
    apply: (index, changes, progress) =>
      right
        .apply(
          index,
          changes.filter(({ event }) => event === 'upsert'),
          progress,
        )
        .map((verdicts) => {
          const left = [...verdicts];
          return changes.map(({ event }) =>
            event === 'upsert' ? left.shift()! : { kind: 'applied' as const },
          );
        }),
  }),
  'an expiry that is a delete like any other': (right) => ({
    ...right,
    apply: (index, changes, progress) =>
      right.apply(
        index,
        changes.map((change) => ({
          ...change,
          freshness: { ...change.freshness, kind: 'document' as const },
        })),
        progress,
      ),
  }),
  'choices that narrow their own facets': (right) => ({
    ...right,
    execute: (where, { choices = [], ...plan }) =>
      right.execute(where, { ...plan, choices: choices.map((choice) => ({ ...choice, facet: '' })) }),
  }),
  'hits in another order': answering((answer) => ({ ...answer, hits: [...answer.hits].reverse() })),
  'a total of the page': answering((answer) => ({ ...answer, total: answer.hits.length })),
  'counts by chance': answering((answer) => ({
    ...answer,
    facets: answer.facets.map((facet) => ({ ...facet, counts: facet.counts.slice(1) })),
  })),
  'a switch without a comparison': (right) => ({ ...right, serve: (name, to) => right.serve(name, to) }),
  'a switch that does nothing': (right) => ({
    ...right,
    serve: (name, to, options) => (options?.from ? okAsync(undefined) : right.serve(name, to, options)),
  }),
  'a drop that keeps everything': (right) => ({
    ...right,
    drop: (name) =>
      right
        .drop(name)
        .andThen(() => okAsync(undefined))
        .orElse(() => okAsync(undefined)),
  }),
  'phrases that are only words': (right) => ({
    ...right,
    execute: (where, plan) =>
      right.execute(where, plan.text ? { ...plan, text: { ...plan.text, match: 'all' } } : plan),
  }),
  'words of deleted documents': (right) => {
    const seen = new Map<string, number>();
    return {
      ...right,
      words: (where, plan) =>
        right.words(where, plan).map((words) => {
          for (const { word, documents } of words) seen.set(word, documents);
          return [...seen]
            .map(([word, documents]) => ({ word, documents }))
            .filter(({ word }) => plan.after === undefined || word > plan.after)
            .sort((a, b) => (a.word < b.word ? -1 : 1))
            .slice(0, plan.limit);
        }),
    };
  },
  'words that are cut to their stems': (right) => ({
    ...right,
    words: (where, plan) =>
      right
        .words(where, plan)
        .map((words) => words.map((one) => ({ ...one, word: plainAnalyzer.terms(one.word)[0]! }))),
  }),
  'pages without their cap': (right) => ({
    ...right,
    execute: (where, plan) => {
      const { cap: _, ...page } = plan.page;
      return right.execute(where, { ...plan, page });
    },
  }),
  'explanations without ranks': (right) => ({
    ...right,
    explain: (where, plan, pk) =>
      right.explain(where, plan, pk).map((found) => {
        if (found.state !== 'alive') return found;
        const { rank: _, ...rest } = found;
        return rest;
      }),
  }),
  'explanations that ignore choices': (right) => ({
    ...right,
    explain: (where, { choices: _, ...plan }, pk) => right.explain(where, plan, pk),
  }),
  'a feeder’s place that is forgotten': (right) => ({
    ...right,
    apply: (index, changes) => right.apply(index, changes),
  }),
};

test.each(Object.keys(broken))('[V8] the suite notices %s', async (name) => {
  const outcomes = await Promise.allSettled(
    searchEngineCases.map(async ({ run }) => {
      const engine = broken[name]!(referenceEngine({ analyzer: plainAnalyzer }));
      return run({ engine, analyzer: plainAnalyzer, promises });
    }),
  );
  expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
});

import fc from 'fast-check';
import { expect } from 'vitest';
import { VALUES_MAX } from '../engine/index-schema.ts';
import type { Cursor, Filter, QueryPlan, SortKey, TextQuery } from '../engine/query-plan.ts';
import { disagreements } from './agreement.ts';
import { applyTo, documentsOf, emptyIndex } from './reference-index.ts';
import { referenceQuery } from './reference-query.ts';
import type { SearchEngineCase } from './search-engine-harness.ts';
import { ask, feed, freshIndex, pksOf, upsert } from './search-engine-probe.ts';
import { columnSort, historyArbitrary, planArbitrary, sampleSchema } from './vasgen.arbitraries.ts';

const whole = (plan: QueryPlan): QueryPlan => ({ ...plan, page: { limit: 1000 } });

export const queryCases: readonly SearchEngineCase[] = [
  {
    title: '[V8] results, counts and orders equal the brute-force reference on random corpora and plans',
    run: async ({ engine, analyzer, promises }) => {
      const plans = fc.array(planArbitrary({ vectors: promises.vectors }), { minLength: 4, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(historyArbitrary(), plans, async (history, asked) => {
          const spec = { name: await freshIndex(engine), epoch: 1, schema: sampleSchema };
          const truth = emptyIndex(spec);
          for (const change of history) applyTo(truth, analyzer, change);
          await feed(engine, spec.name, history);
          const documents = documentsOf(truth);
          for (const plan of asked) {
            const all = referenceQuery(documents, analyzer, whole(plan));
            const actual = await ask(engine, spec.name, plan);
            expect(
              disagreements(all, actual, plan, { scores: promises.exactScores }),
              JSON.stringify(plan),
            ).toEqual([]);
          }
          await engine.drop(spec.name);
        }),
        { numRuns: promises.corpora ?? 300 },
      );
    },
  },
  {
    title: '[V8] pages by cursor and by offset hold every hit once and in order, whatever the sort',
    run: async ({ engine, promises }) => {
      await fc.assert(
        fc.asyncProperty(
          historyArbitrary(),
          columnSort,
          fc.integer({ min: 1, max: 7 }),
          async (history, sort, limit) => {
            const index = await freshIndex(engine);
            await feed(engine, index, history);
            const all = pksOf(await ask(engine, index, { sort, page: { limit: 1000 } }));
            const walked: string[] = [];
            for (let after: Cursor | undefined; ;) {
              const { hits } = await ask(engine, index, {
                sort,
                page: { limit, ...(after ? { after } : {}) },
              });
              const last = hits.at(-1);
              if (!last) break;
              walked.push(...pksOf({ hits }));
              after = last.cursor;
            }
            expect(walked).toEqual(all);
            const offset = Math.floor(all.length / 2);
            expect(pksOf(await ask(engine, index, { sort, page: { limit, offset } }))).toEqual(
              all.slice(offset, offset + limit),
            );
            await engine.drop(index);
          },
        ),
        { numRuns: Math.min(100, promises.corpora ?? 100) },
      );
    },
  },
  {
    title: '[V8] words: all by default, any, phrases with holes, an unfinished last word',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      await feed(engine, index, [
        upsert('both', { title: 'Диван', body: 'стол белый' }),
        upsert('side', { body: 'большой диван и стол' }),
        upsert('near', { body: 'диван стол' }),
        upsert('none', { body: 'шкаф' }),
      ]);
      const found = async (text: TextQuery): Promise<readonly string[]> =>
        [...pksOf(await ask(engine, index, { text, page: { limit: 10 } }))].sort();
      expect(await found({ words: 'диван СТОЛ' })).toEqual(['both', 'near', 'side']);
      expect(await found({ words: 'шкаф стол', match: 'any' })).toEqual(['both', 'near', 'none', 'side']);
      expect(await found({ words: 'диван стол', match: 'phrase' })).toEqual(['near']);
      expect(await found({ words: 'диван в стол', match: 'phrase' })).toEqual(['side']);
      expect(await found({ words: 'диван ст' })).toEqual([]);
      expect(await found({ words: 'диван ст', prefixLast: true })).toEqual(['both', 'near', 'side']);
      expect(await found({ words: 'и' })).toEqual([]);
      expect(await found({ words: ' — ' })).toHaveLength(4);
    },
  },
  {
    title: '[V8] a match in a boosted field stands above one elsewhere, and a boost lifts a document',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      await feed(engine, index, [
        upsert('below', { title: 'стул серый', body: 'диван белый', price: 0 }),
        upsert('above', { title: 'диван белый', body: 'стул серый', price: 0 }),
        upsert('loved', { title: 'стул серый', body: 'диван белый', price: 9 }),
      ]);
      const text = { words: 'диван' };
      expect(pksOf(await ask(engine, index, { text, page: { limit: 1 } }))).toEqual(['above']);
      const boosts = [{ kind: 'factor', field: 'price', weight: 100 }] as const;
      expect(pksOf(await ask(engine, index, { text, boosts, page: { limit: 1 } }))).toEqual(['loved']);
    },
  },
  {
    title: '[V8] a choice narrows everything but the counts of its own facet',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      await feed(engine, index, [
        upsert('a', { category: 'auto', brand: 'kia' }),
        upsert('b', { category: 'auto', brand: 'lada' }),
        upsert('c', { category: 'home', brand: 'kia' }),
        upsert('d', { category: 'home', brand: 'lada' }),
        upsert('e', { category: 'home', brand: 'lada' }),
      ]);
      const answer = await ask(engine, index, {
        page: { limit: 10 },
        choices: [
          { facet: 'category', filter: { kind: 'terms', field: 'category', values: ['auto'] } },
          { facet: 'brand', filter: { kind: 'terms', field: 'brand', values: ['lada'] } },
        ],
        facets: [
          { kind: 'terms', name: 'category', field: 'category' },
          { kind: 'terms', name: 'brand', field: 'brand' },
        ],
      });
      expect(pksOf(answer)).toEqual(['b']);
      expect(answer.facets).toEqual([
        {
          name: 'category',
          exact: true,
          counts: [
            { value: 'home', count: 2 },
            { value: 'auto', count: 1 },
          ],
        },
        {
          name: 'brand',
          exact: true,
          counts: [
            { value: 'kia', count: 1 },
            { value: 'lada', count: 1 },
          ],
        },
      ]);
    },
  },
  {
    title: '[V8] of several values one is enough, each is counted once, and an empty list is missing',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      const verdicts = await feed(engine, index, [
        upsert('a', { tags: ['red', 'new', 'red'], codes: ['A1', 'Ж7'] }),
        upsert('b', { tags: ['new'], codes: ['a1'] }),
        upsert('c', { tags: [], codes: [] }),
        upsert('d', {}),
        upsert('e', { tags: 'red' }),
        upsert('f', { brand: ['kia'] }),
        upsert('g', { codes: Array.from({ length: VALUES_MAX + 1 }, (_, at) => `c${at}`) }),
      ]);
      expect(verdicts).toEqual(['applied', 'applied', 'applied', 'applied', 'invalid', 'invalid', 'invalid']);
      const found = async (filter: Filter): Promise<readonly string[]> =>
        pksOf(await ask(engine, index, { filter, page: { limit: 10 } }));
      const tags = (...values: string[]): Filter => ({ kind: 'terms', field: 'tags', values });
      expect(await found(tags('red', 'sale'))).toEqual(['a']);
      expect(await found(tags('new', 'red'))).toEqual(['a', 'b']);
      expect(await found({ kind: 'all', of: [tags('new'), tags('red')] })).toEqual(['a']);
      expect(await found({ kind: 'not', of: tags('red') })).toEqual(['b', 'c', 'd']);
      expect(await found({ kind: 'exists', field: 'tags' })).toEqual(['a', 'b']);
      expect(await found({ kind: 'terms', field: 'codes', values: ['Ж7'] })).toEqual(['a']);
      expect(await found({ kind: 'exists', field: 'codes' })).toEqual(['a', 'b']);
      const chosen = await ask(engine, index, {
        page: { limit: 10 },
        facets: [{ kind: 'terms', name: 'tags', field: 'tags' }],
        choices: [{ facet: 'tags', filter: tags('red') }],
      });
      expect(pksOf(chosen)).toEqual(['a']);
      expect(chosen.facets[0]?.counts).toEqual([
        { value: 'new', count: 2 },
        { value: 'red', count: 1 },
      ]);
      const sort = [{ by: 'column', field: 'tags', direction: 'asc' }] as const;
      expect((await engine.execute({ index }, { sort, page: { limit: 1 } })).isErr()).toBe(true);
    },
  },
  {
    title: '[V8] sorts put missing values last in both directions, and go by distance',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      await feed(engine, index, [
        upsert('a', { price: 2, place: { lat: 55.75, lon: 37.62 } }),
        upsert('b', { price: 1, place: { lat: 59.93, lon: 30.31 } }),
        upsert('c', {}),
        upsert('d', { price: 2, place: { lat: 54.98, lon: 73.37 } }),
      ]);
      const sorted = async (sort: SortKey): Promise<readonly string[]> =>
        pksOf(await ask(engine, index, { sort: [sort], page: { limit: 10 } }));
      expect(await sorted({ by: 'column', field: 'price', direction: 'asc' })).toEqual(['b', 'a', 'd', 'c']);
      expect(await sorted({ by: 'column', field: 'price', direction: 'desc' })).toEqual(['a', 'd', 'b', 'c']);
      expect(await sorted({ by: 'distance', field: 'place', from: { lat: 60, lon: 30 } })).toEqual([
        'b',
        'a',
        'd',
        'c',
      ]);
    },
  },
  {
    title: '[V8] without a text relevance is 1, so boosts rank what is browsed',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      await feed(engine, index, [
        upsert('a', { price: 1, year: 2000 }),
        upsert('b', { price: 5, year: 2000 }),
        upsert('c', { price: 3, year: 2004 }),
        upsert('d', {}),
      ]);
      const page = { limit: 10 };
      const factor = { kind: 'factor', field: 'price', weight: 1 } as const;
      const ranked = await ask(engine, index, { page, boosts: [factor] });
      expect(pksOf(ranked)).toEqual(['b', 'c', 'a', 'd']);
      expect(ranked.hits.map(({ score }) => score)).toEqual([6, 4, 2, 1]);
      const sort = [{ by: 'relevance' }] as const;
      const recency = { kind: 'recency', field: 'year', weight: 9, now: 2004, halfLife: 1 } as const;
      expect(pksOf(await ask(engine, index, { page, sort, boosts: [recency] }))).toEqual([
        'c',
        'a',
        'b',
        'd',
      ]);
      expect((await ask(engine, index, { page, sort })).hits.map(({ score }) => score)).toEqual([1, 1, 1, 1]);
      // A text without any word is no condition, so it asks for no words either.
      const blank = await ask(engine, index, { page, text: { words: ' — ' }, boosts: [factor] });
      expect(pksOf(blank)).toEqual(['b', 'c', 'a', 'd']);
      expect(pksOf(await ask(engine, index, { page }))).toEqual(['a', 'b', 'c', 'd']);
    },
  },
  {
    title: '[V8] a plan that can not be run names the field',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      const faults = async (plan: QueryPlan): Promise<readonly string[]> => {
        const error = (await engine.execute({ index }, plan))._unsafeUnwrapErr();
        return error.kind === 'PlanInvalid' ? error.violations.map(({ path }) => path) : [error.kind];
      };
      const page = { limit: 1 };
      expect(await faults({ page, filter: { kind: 'terms', field: 'nope', values: [] } })).toEqual([
        'filter.field',
      ]);
      expect(
        await faults({ page, filter: { kind: 'all', of: [{ kind: 'range', field: 'brand', min: 1 }] } }),
      ).toEqual(['filter.of[0].field']);
      expect(await faults({ page, sort: [{ by: 'column', field: 'title', direction: 'asc' }] })).toEqual([
        'sort[0].field',
      ]);
      expect(await faults({ page, facets: [{ kind: 'terms', name: 'x', field: 'city' }] })).toEqual([
        'facets[0].field',
      ]);
      expect(await faults({ page: { limit: 1, offset: 10_000 } })).toEqual(['page.offset']);
      expect(await faults({ page: { limit: 5000 } })).toEqual(['page.limit']);
      expect(await faults({ page: { limit: 1, after: { pk: 'a', values: [1] } } })).toEqual(['page.after']);
    },
  },
];

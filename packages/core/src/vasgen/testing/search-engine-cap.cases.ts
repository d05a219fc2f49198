import fc from 'fast-check';
import { expect } from 'vitest';
import type { Cursor, QueryPlan } from '../engine/query-plan.ts';
import { applyTo, documentsOf, emptyIndex } from './reference-index.ts';
import { referenceQuery } from './reference-query.ts';
import type { SearchEngineCase } from './search-engine-harness.ts';
import { ask, errorOf, feed, freshIndex, pksOf, upsert } from './search-engine-probe.ts';
import { columnSort, historyArbitrary, sampleSchema } from './vasgen.arbitraries.ts';

export const capCases: readonly SearchEngineCase[] = [
  {
    title: '[S13] pages with a cap equal brute force, one after another, and numbers are those of everything',
    run: async ({ engine, analyzer, promises }) => {
      const asked = fc.record({
        history: historyArbitrary(),
        sort: columnSort,
        limit: fc.integer({ min: 1, max: 6 }),
        max: fc.integer({ min: 1, max: 3 }),
        field: fc.constantFrom('category', 'city', 'brand'),
      });
      await fc.assert(
        fc.asyncProperty(asked, async ({ history, sort, limit, max, field }) => {
          const spec = { name: await freshIndex(engine), epoch: 1, schema: sampleSchema };
          const truth = emptyIndex(spec);
          for (const change of history) applyTo(truth, analyzer, change);
          await feed(engine, spec.name, history);
          const documents = documentsOf(truth);
          const facets = [{ kind: 'terms', name: 'brand', field: 'brand' }] as const;
          for (let after: Cursor | undefined; ;) {
            const page = { limit, cap: { field, max }, ...(after && { after }) };
            const plan: QueryPlan = { sort, page, facets };
            const found = await ask(engine, spec.name, plan);
            const right = referenceQuery(documents, analyzer, plan);
            expect([pksOf(found), found.heldBack, found.total, found.facets]).toEqual([
              pksOf(right),
              right.heldBack,
              documents.length,
              right.facets,
            ]);
            after = found.hits.at(-1)?.cursor;
            if (!after) break;
          }
          await engine.drop(spec.name);
        }),
        { numRuns: Math.min(100, promises.corpora ?? 100) },
      );
    },
  },
  {
    title:
      '[S13] a page is full although most of the best hits have one value, and a document without one is kept',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      const many = Array.from({ length: 300 }, (_, n) => upsert(`a${n}`, { city: 'Омск', price: n }));
      await feed(engine, index, [
        ...many,
        upsert('b1', { city: 'Ухта', price: 1_000 }),
        upsert('b2', { city: 'Ухта', price: 1_001 }),
        upsert('c', { price: 1_002 }),
      ]);
      const sort = [{ by: 'column', field: 'price', direction: 'asc' }] as const;
      const page = { limit: 4, cap: { field: 'city', max: 1 } };
      const found = await ask(engine, index, { sort, page });
      expect([pksOf(found), found.heldBack, found.total]).toEqual([['a0', 'b1', 'c'], 300, 303]);
      const uncapped = await ask(engine, index, { sort, page: { limit: 4 } });
      expect(uncapped).not.toHaveProperty('heldBack');
    },
  },
  {
    title: '[S13] a cap on an unknown field, on several values, of nothing or with an offset is refused',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      const refused = async (page: QueryPlan['page']) => errorOf(await engine.execute({ index }, { page }));
      expect(await refused({ limit: 1, cap: { field: 'nothing', max: 1 } })).toBe('PlanInvalid');
      expect(await refused({ limit: 1, cap: { field: 'tags', max: 1 } })).toBe('PlanInvalid');
      expect(await refused({ limit: 1, cap: { field: 'price', max: 1 } })).toBe('PlanInvalid');
      expect(await refused({ limit: 1, cap: { field: 'city', max: 0 } })).toBe('PlanInvalid');
      expect(await refused({ limit: 1, offset: 1, cap: { field: 'city', max: 1 } })).toBe('PlanInvalid');
    },
  },
];

import fc from 'fast-check';
import { expect } from 'vitest';
import { FIELDS_MAX, type IndexSchema } from '../engine/index-schema.ts';
import { disagreements } from './agreement.ts';
import { applyTo, documentsOf, emptyIndex } from './reference-index.ts';
import { referenceQuery } from './reference-query.ts';
import type { SearchEngineCase } from './search-engine-harness.ts';
import { ask, errorOf, feed, freshIndex, freshName, infoOf, pksOf, upsert } from './search-engine-probe.ts';
import { historyArbitrary, planArbitrary, sampleSchema } from './vasgen.arbitraries.ts';

const numbers = (count: number, prefix = 'n'): IndexSchema =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, { kind: 'number' }]));
const { title, category, price, ...later } = sampleSchema;
const first: IndexSchema = { title, category, price };

export const growthCases: readonly SearchEngineCase[] = [
  {
    title: '[V4] a field is added to a living index: what was refused is taken, what was there is without it',
    run: async ({ engine }) => {
      const index = await freshIndex(engine, { schema: { title: { kind: 'text' } } });
      await feed(engine, index, [upsert('a', { title: 'диван' })]);
      const change = upsert('b', { title: 'диван', color: 'red', body: 'угловой стол', size: 5 });
      expect(await feed(engine, index, [change])).toEqual(['invalid']);
      const more: IndexSchema = { color: { kind: 'enum' }, body: { kind: 'text' }, size: { kind: 'number' } };
      (await engine.extend(index, more))._unsafeUnwrap();
      expect(Object.keys((await infoOf(engine, index)).schema)).toEqual(['title', 'color', 'body', 'size']);
      expect(await feed(engine, index, [change])).toEqual(['applied']);
      const page = { limit: 10 };
      expect(pksOf(await ask(engine, index, { page, text: { words: 'стол' } }))).toEqual(['b']);
      expect(pksOf(await ask(engine, index, { page, filter: { kind: 'exists', field: 'color' } }))).toEqual([
        'b',
      ]);
      const sort = [{ by: 'column', field: 'size', direction: 'asc' }] as const;
      expect(pksOf(await ask(engine, index, { page, sort }))).toEqual(['b', 'a']);
      const facets = [{ kind: 'terms', name: 'c', field: 'color' }] as const;
      expect((await ask(engine, index, { page, facets })).facets[0]?.counts).toEqual([
        { value: 'red', count: 1 },
      ]);
    },
  },
  {
    title: '[V4] growing again is no error, a type never changes, and a refused growth adds nothing',
    run: async ({ engine }) => {
      const index = await freshIndex(engine, { schema: first });
      const fieldsOf = async () => Object.keys((await infoOf(engine, index)).schema);
      const more: IndexSchema = { brand: { kind: 'enum' } };
      for (let again = 0; again < 2; again++) (await engine.extend(index, more))._unsafeUnwrap();
      (await engine.extend(index, {}))._unsafeUnwrap();
      expect(await fieldsOf()).toEqual(['title', 'category', 'price', 'brand']);
      const other: IndexSchema = { brand: { kind: 'enum', multiple: true }, size: { kind: 'number' } };
      expect((await engine.extend(index, other))._unsafeUnwrapErr()).toMatchObject({
        kind: 'SchemaConflict',
        violations: [{ path: 'brand', code: 'TYPE' }],
      });
      const texts = ['a', 'b', 'c', 'd'].map((name) => [name, { kind: 'text' }] as const);
      expect(errorOf(await engine.extend(index, Object.fromEntries(texts)))).toBe('InvalidInput');
      expect(await fieldsOf()).toEqual(['title', 'category', 'price', 'brand']);
      expect(errorOf(await engine.extend(freshName('ghost'), more))).toBe('UnknownIndex');
    },
  },
  {
    title: '[V4] an index that has grown is made again without an error; one that lacks a field is not',
    run: async ({ engine }) => {
      const name = await freshIndex(engine, { schema: first });
      const create = async (schema: IndexSchema) => errorOf(await engine.create({ name, epoch: 1, schema }));
      expect(await create({ ...first, brand: { kind: 'enum' } })).toBe('IndexExists');
      (await engine.extend(name, { brand: { kind: 'enum' } }))._unsafeUnwrap();
      expect(await create(first)).toBe('no error');
      expect(await create({ brand: { kind: 'enum' }, ...first })).toBe('no error');
      expect(await create({ ...first, price: { kind: 'string' } })).toBe('IndexExists');
      expect(Object.keys((await infoOf(engine, name)).schema)).toHaveLength(4);
    },
  },
  {
    title: `[V4] a schema has up to ${FIELDS_MAX} fields`,
    run: async ({ engine }) => {
      const index = await freshIndex(engine, { schema: numbers(FIELDS_MAX - 1) });
      (await engine.extend(index, numbers(1, 'm')))._unsafeUnwrap();
      expect(errorOf(await engine.extend(index, numbers(2, 'm')))).toBe('InvalidInput');
      await feed(engine, index, [upsert('a', { n17: 4, m0: 5 }), upsert('b', { n9998: 1 })]);
      const found = async (field: string) =>
        pksOf(await ask(engine, index, { page: { limit: 5 }, filter: { kind: 'range', field, min: 0 } }));
      expect([await found('n17'), await found('m0'), await found('n9998'), await found('n3')]).toEqual([
        ['a'],
        ['a'],
        ['b'],
        [],
      ]);
      await engine.drop(index);
    },
  },
  {
    title: '[V4] an index that has grown field by field answers like one that had them all from the start',
    run: async ({ engine, analyzer, promises }) => {
      const names = Object.keys(later);
      const schemaOf = (kept: readonly string[]): IndexSchema => ({
        ...first,
        ...Object.fromEntries(kept.map((name) => [name, later[name as keyof typeof later]])),
      });
      const steps = fc.array(fc.subarray(names), { minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(
          steps,
          historyArbitrary(1, 20, 60),
          fc.array(planArbitrary({ vectors: promises.vectors }), { minLength: 3, maxLength: 5 }),
          async (grown, history, plans) => {
            const spec = {
              name: await freshIndex(engine, { schema: first }),
              epoch: 1,
              schema: first,
            };
            const truth = emptyIndex(spec);
            const part = Math.ceil(history.length / (grown.length + 1));
            for (const [at, more] of [[], ...grown, names].entries()) {
              (await engine.extend(spec.name, schemaOf(more)))._unsafeUnwrap();
              truth.spec = { ...spec, schema: { ...truth.spec.schema, ...schemaOf(more) } };
              // What the index does not know yet is refused by both.
              const batch = history.slice(at * part, (at + 1) * part);
              const verdicts = batch.map((change) => applyTo(truth, analyzer, change).kind);
              expect(await feed(engine, spec.name, batch)).toEqual(verdicts);
            }
            for (const plan of plans) {
              const whole = referenceQuery(documentsOf(truth), analyzer, { ...plan, page: { limit: 1000 } });
              const answer = await ask(engine, spec.name, plan);
              expect(disagreements(whole, answer, plan, { scores: promises.exactScores })).toEqual([]);
            }
            await engine.drop(spec.name);
          },
        ),
        { numRuns: Math.min(100, promises.corpora ?? 100) },
      );
    },
  },
];

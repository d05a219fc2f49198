import { expect } from 'vitest';
import type { IndexName } from '../engine/index-name.ts';
import type { SearchEngineCase } from './search-engine-harness.ts';
import {
  everything,
  feed,
  freshIndex,
  freshName,
  freshServing,
  pksOf,
  upsert,
} from './search-engine-probe.ts';
import { sampleSchema } from './vasgen.arbitraries.ts';

export const indexCases: readonly SearchEngineCase[] = [
  {
    title: '[V11] an index is made once; the same spec again is no error, another one is',
    run: async ({ engine }) => {
      const name = freshName();
      const spec = { name, epoch: 3, schema: sampleSchema };
      expect((await engine.create(spec)).isOk()).toBe(true);
      await feed(engine, name, [upsert('a', {}, { epoch: 3 })]);
      expect((await engine.create(spec)).isOk()).toBe(true);
      expect((await engine.execute({ index: name }, everything))._unsafeUnwrap().total).toBe(1);
      expect((await engine.create({ ...spec, epoch: 4 }))._unsafeUnwrapErr()).toEqual({
        kind: 'IndexExists',
        name,
      });
      const schema = { bad: { kind: 'vector', dimension: 0 } } as const;
      expect((await engine.create({ name: freshName(), epoch: 1, schema }))._unsafeUnwrapErr()).toMatchObject(
        {
          kind: 'InvalidInput',
          violations: [{ path: 'bad' }],
        },
      );
    },
  },
  {
    title: '[V11] what is not there is said so by name',
    run: async ({ engine }) => {
      const ghost = freshName('ghost');
      const serving = freshServing();
      const unknown = { kind: 'UnknownIndex', name: ghost };
      expect((await engine.apply(ghost, []))._unsafeUnwrapErr()).toEqual(unknown);
      expect((await engine.flush(ghost))._unsafeUnwrapErr()).toEqual(unknown);
      expect((await engine.execute({ index: ghost }, everything))._unsafeUnwrapErr()).toEqual(unknown);
      expect((await engine.serve(serving, ghost))._unsafeUnwrapErr()).toEqual(unknown);
      expect((await engine.execute({ serving }, everything))._unsafeUnwrapErr()).toEqual({
        kind: 'UnknownIndex',
        name: serving,
      });
      expect((await engine.drop(ghost)).isOk()).toBe(true);
    },
  },
  {
    title: '[V11] a serving name is switched and switched back; a wrong belief switches nothing',
    run: async ({ engine }) => {
      const one = await freshIndex(engine, { epoch: 1 });
      const two = await freshIndex(engine, { epoch: 2 });
      await feed(engine, one, [upsert('old', {}, { epoch: 1 })]);
      await feed(engine, two, [upsert('new', {}, { epoch: 2 })]);
      const serving = freshServing();
      const seen = async () => pksOf((await engine.execute({ serving }, everything))._unsafeUnwrap());
      const move = async (from: IndexName | null, to: IndexName) =>
        (await engine.serve(serving, to, { from })).match(
          () => 'moved',
          ({ kind }) => kind,
        );
      expect(await move(one, two)).toBe('ServingMoved');
      expect(await move(null, one)).toBe('moved');
      expect(await seen()).toEqual(['old']);
      expect(await move(null, two)).toBe('ServingMoved');
      expect(await move(one, two)).toBe('moved');
      expect(await seen()).toEqual(['new']);
      expect(await move(one, two)).toBe('ServingMoved');
      expect(await move(two, one)).toBe('moved');
      expect(await seen()).toEqual(['old']);
      const infos = (await engine.indexes())._unsafeUnwrap();
      expect(infos.find(({ name }) => name === one)?.serving).toEqual([serving]);
      expect(infos.find(({ name }) => name === two)?.serving).toEqual([]);
    },
  },
  {
    title: '[V11] one that serves can not be dropped; a dropped one is gone, and its name starts anew',
    run: async ({ engine }) => {
      const one = await freshIndex(engine);
      const two = await freshIndex(engine);
      const serving = freshServing();
      await engine.serve(serving, one);
      expect((await engine.drop(one))._unsafeUnwrapErr()).toEqual({
        kind: 'IndexServes',
        name: one,
        serving,
      });
      await feed(engine, one, [upsert('a', {}, { version: 9 })]);
      await engine.serve(serving, two);
      expect((await engine.drop(one)).isOk()).toBe(true);
      expect((await engine.indexes())._unsafeUnwrap().some(({ name }) => name === one)).toBe(false);
      await engine.create({ name: one, epoch: 1, schema: sampleSchema });
      expect(await feed(engine, one, [upsert('a', {}, { version: 1 })])).toEqual(['applied']);
    },
  },
  {
    title: '[V11] indexes side by side do not know each other’s documents',
    run: async ({ engine }) => {
      const one = await freshIndex(engine, { epoch: 1 });
      const two = await freshIndex(engine, { epoch: 2 });
      expect(await feed(engine, two, [upsert('a', { title: 'стол' }, { epoch: 2, version: 1 })])).toEqual([
        'applied',
      ]);
      expect(await feed(engine, one, [upsert('a', { title: 'диван' }, { epoch: 1, version: 1 })])).toEqual([
        'applied',
      ]);
      const total = async (index: IndexName, words: string) =>
        (await engine.execute({ index }, { text: { words }, page: { limit: 0 } }))._unsafeUnwrap().total;
      expect([await total(one, 'диван'), await total(one, 'стол')]).toEqual([1, 0]);
      expect([await total(two, 'диван'), await total(two, 'стол')]).toEqual([0, 1]);
    },
  },
  {
    title: '[V11] switched back and forth under live writes and queries: no query fails, none sees a mix',
    run: async ({ engine }) => {
      const one = await freshIndex(engine, { epoch: 1 });
      const two = await freshIndex(engine, { epoch: 2 });
      const batch = (epoch: number, version: number) =>
        Array.from({ length: 20 }, (_, n) =>
          upsert(`d${n}`, { category: epoch === 1 ? 'auto' : 'home' }, { epoch, version }),
        );
      await feed(engine, one, batch(1, 1));
      await feed(engine, two, batch(2, 1));
      const serving = freshServing();
      await engine.serve(serving, one);
      let done = false;
      const facets = [{ kind: 'terms', name: 'c', field: 'category' }] as const;
      const asking = (async () => {
        const seen = new Set<string>();
        while (!done) {
          const { total, facets: counts } = (
            await engine.execute({ serving }, { page: { limit: 5 }, facets })
          )._unsafeUnwrap();
          expect(total).toBe(20);
          expect(counts[0]!.counts).toHaveLength(1);
          seen.add(String(counts[0]!.counts[0]!.value));
          await new Promise((resolve) => setImmediate(resolve));
        }
        return seen;
      })();
      asking.catch(() => undefined); // it is awaited below; a failure before that is not a stray one
      for (let version = 2; version < 30; version++) {
        const [from, to] = version % 2 === 0 ? [one, two] : [two, one];
        const results = await Promise.all([
          engine.apply(one, batch(1, version)),
          engine.apply(two, batch(2, version)),
          engine.serve(serving, to, { from }),
        ]);
        expect(results.every((result) => result.isOk())).toBe(true);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      done = true;
      expect((await asking).size).toBe(2);
    },
  },
];

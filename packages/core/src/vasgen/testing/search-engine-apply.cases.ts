import fc from 'fast-check';
import { expect } from 'vitest';
import { seededRandom } from '../../kernel/testing/seeded-random.ts';
import { applyTo, documentsOf, emptyIndex } from './reference-index.ts';
import type { SearchEngineCase } from './search-engine-harness.ts';
import { ask, everything, expiry, feed, freshIndex, pksOf, remove, upsert } from './search-engine-probe.ts';
import { historyArbitrary, sampleSchema } from './vasgen.arbitraries.ts';

/** Places of one document in ascending order. */
const ladder = [
  upsert('a', { price: 1 }, { version: 1, timestampMs: 5 }),
  expiry('a', { version: 1, timestampMs: 5 }),
  upsert('a', { price: 2 }, { version: 1, timestampMs: 6 }),
  remove('a', { version: 2, timestampMs: 1 }),
  upsert('a', { price: 3 }, { version: 3, timestampMs: 0 }),
];

export const applyCases: readonly SearchEngineCase[] = [
  {
    title: '[V2] a lower or equal place changes nothing, a higher one wins, whatever they are',
    run: async ({ engine }) => {
      for (const [high, later] of ladder.entries())
        for (const [low, earlier] of ladder.entries()) {
          const index = await freshIndex(engine);
          expect(await feed(engine, index, [later])).toEqual(['applied']);
          expect(await feed(engine, index, [earlier])).toEqual([low > high ? 'applied' : 'stale']);
          const winner = low > high ? earlier : later;
          expect(pksOf(await ask(engine, index, everything))).toEqual(winner.event === 'upsert' ? ['a'] : []);
          await engine.drop(index);
        }
    },
  },
  {
    title: '[V2] any order and repetition of a history ends in its greatest places',
    run: async ({ engine, analyzer, promises }) => {
      await fc.assert(
        fc.asyncProperty(historyArbitrary(1, 8, 30), fc.nat(), async (history, seed) => {
          const random = seededRandom(seed);
          const spec = { name: await freshIndex(engine), epoch: 1, schema: sampleSchema };
          const truth = emptyIndex(spec);
          for (const change of history) applyTo(truth, analyzer, change);
          const mixed = [...history, ...history.filter(() => random.chance(0.3))]
            .map((change) => ({ change, place: random.below(1000) }))
            .sort((a, b) => a.place - b.place)
            .map(({ change }) => change);
          await feed(engine, spec.name, mixed);
          // Two contents of one place: which one stays is not promised, only that one does.
          const alive = documentsOf(truth).map(({ pk }) => pk);
          const places = new Map<string, Set<string>>();
          for (const { pk, freshness, event } of history) {
            const key = `${pk} ${JSON.stringify(freshness)}`;
            places.set(key, (places.get(key) ?? new Set()).add(event));
          }
          const torn = new Set(
            [...places].filter(([, events]) => events.size > 1).map(([key]) => key.split(' ')[0]!),
          );
          const settled = (pks: readonly string[]): readonly string[] =>
            pks.filter((pk) => !torn.has(pk)).sort();
          expect(settled(pksOf(await ask(engine, spec.name, everything)))).toEqual(settled(alive));
          await engine.drop(spec.name);
        }),
        { numRuns: Math.min(200, promises.corpora ?? 200) },
      );
    },
  },
  {
    title:
      '[V5] an expiry wins over its own upsert and loses to anything newer; deletes of the unknown are remembered',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      const place = { version: 7, timestampMs: 70 };
      expect(
        await feed(engine, index, [
          upsert('a', { year: 1 }, place),
          expiry('a', place),
          upsert('a', {}, place),
        ]),
      ).toEqual(['applied', 'applied', 'stale']);
      expect(
        await feed(engine, index, [upsert('a', {}, { version: 7, timestampMs: 71 }), expiry('a', place)]),
      ).toEqual(['applied', 'stale']);
      expect(
        await feed(engine, index, [remove('ghost', { version: 5 }), upsert('ghost', {}, { version: 4 })]),
      ).toEqual(['applied', 'stale']);
      expect(pksOf(await ask(engine, index, everything))).toEqual(['a']);
      const info = (await engine.indexes())._unsafeUnwrap().find(({ name }) => name === index);
      expect(info).toMatchObject({ documents: 1, tombstones: 1 });
    },
  },
  {
    title: '[V8] what does not fit the schema is invalid with its field, and keeps nothing else out',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      const changes = [
        upsert('a', { price: 'cheap' }),
        upsert('b', { price: 1, unheard: true }),
        upsert('c', { place: { lat: 95, lon: 0 } }),
        upsert('d', { look: [1, 2] }),
        upsert('', {}),
        upsert('e', {}, { version: -1 }),
        upsert('f', {}, { version: 2 ** 53 }),
        upsert('g', {}, { epoch: 2 }),
        upsert('h', { fresh: 'true', price: Number.NaN }),
        upsert('ok', { price: 5 }),
      ];
      const verdicts = (await engine.apply(index, changes))._unsafeUnwrap();
      const paths = verdicts.map((verdict) =>
        verdict.kind === 'invalid' ? verdict.violations.map(({ path }) => path) : verdict.kind,
      );
      expect(paths).toEqual([
        ['price'],
        ['unheard'],
        ['place'],
        ['look'],
        ['pk'],
        ['freshness.version'],
        ['freshness.version'],
        ['freshness.epoch'],
        ['fresh', 'price'],
        'applied',
      ]);
      await engine.flush(index);
      expect(pksOf(await ask(engine, index, everything))).toEqual(['ok']);
    },
  },
  {
    title: '[V8] an upsert replaces the whole document',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      await feed(engine, index, [upsert('a', { title: 'диван', price: 5, brand: 'kia' })]);
      await feed(engine, index, [upsert('a', { title: 'стол' }, { version: 2 })]);
      const found = async (words: string): Promise<number> =>
        (await ask(engine, index, { text: { words }, page: { limit: 1 } })).total;
      expect([await found('диван'), await found('стол')]).toEqual([0, 1]);
      const has = async (field: string): Promise<number> =>
        (await ask(engine, index, { filter: { kind: 'exists', field }, page: { limit: 1 } })).total;
      expect([await has('price'), await has('brand')]).toEqual([0, 0]);
    },
  },
  {
    title: '[V8] it remembers where its feeder stands and whether it has caught up',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      const info = async () => (await engine.indexes())._unsafeUnwrap().find(({ name }) => name === index);
      expect(await info()).toMatchObject({ positions: [], caughtUp: false });
      const position = (partition: number, offset: number) => ({ log: 'l', topic: 't', partition, offset });
      await engine.apply(index, [], { positions: [position(0, 5), position(1, 7)] });
      await engine.apply(index, [], { positions: [position(0, 6)], caughtUp: true });
      const state = await info();
      expect(state?.caughtUp).toBe(true);
      expect([...(state?.positions ?? [])].sort((a, b) => a.partition - b.partition)).toEqual([
        position(0, 6),
        position(1, 7),
      ]);
    },
  },
  {
    title: '[V8] it never stands behind a change that it refused',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      const positions = [{ log: 'l', topic: 't', partition: 0, offset: 9 }];
      const info = async () => (await engine.indexes())._unsafeUnwrap().find(({ name }) => name === index);
      const refused = [upsert('a', {}), upsert('b', { unheard: 1 }), upsert('c', {})];
      await engine.apply(index, refused, { positions, caughtUp: true });
      expect(await info()).toMatchObject({ positions: [], caughtUp: false, documents: 2 });
      await engine.apply(index, [refused[0]!], { positions });
      expect(await info()).toMatchObject({ positions });
    },
  },
];

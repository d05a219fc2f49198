import fc from 'fast-check';
import { expect } from 'vitest';
import { applyTo, documentsOf, emptyIndex } from './reference-index.ts';
import type { SearchEngineCase } from './search-engine-harness.ts';
import {
  ask,
  errorOf,
  everything,
  feed,
  freshIndex,
  freshName,
  infoOf,
  pksOf,
  remove,
  upsert,
} from './search-engine-probe.ts';
import { historyArbitrary, sampleSchema } from './vasgen.arbitraries.ts';

export const rebuildCases: readonly SearchEngineCase[] = [
  {
    title: '[V8] after a rebuild nothing is alive that it did not say; queries find everything until then',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      await feed(engine, index, [
        upsert('kept', {}),
        upsert('ghost', {}),
        upsert('newer', {}),
        remove('dead'),
      ]);
      const position = { log: 'l', topic: 't', partition: 0, offset: 5 };
      await engine.apply(index, [], { positions: [position], caughtUp: true });
      (await engine.renew(index, 1))._unsafeUnwrap();
      // It has no progress: one that ends here is rebuilt again.
      expect(await infoOf(engine, index)).toMatchObject({ positions: [], caughtUp: false, rebuild: 1 });
      expect(pksOf(await ask(engine, index, everything))).toEqual(['ghost', 'kept', 'newer']);
      expect(await feed(engine, index, [upsert('kept', {}), upsert('newer', {}, { version: 2 })])).toEqual([
        'stale',
        'applied',
      ]);
      expect(pksOf(await ask(engine, index, everything))).toEqual(['ghost', 'kept', 'newer']);
      expect((await engine.sweep(index, 1))._unsafeUnwrap()).toBe(1);
      await engine.flush(index);
      expect(pksOf(await ask(engine, index, everything))).toEqual(['kept', 'newer']);
      const seen = (await engine.look(index, ['kept', 'ghost', 'newer', 'dead']))._unsafeUnwrap();
      expect(seen.map(({ state }) => state)).toEqual(['alive', 'unknown', 'alive', 'unknown']);
      expect(await infoOf(engine, index)).toMatchObject({ documents: 2, tombstones: 0 });
      // What was swept is as if it had never been: any place of it is taken again.
      expect(await feed(engine, index, [upsert('ghost', {}, { version: 0 })])).toEqual(['applied']);
    },
  },
  {
    title: '[V8] what a rebuild says wins over what was there, also at a lower place',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      await feed(engine, index, [upsert('a', { price: 9 }, { version: 9 }), upsert('b', {}, { version: 9 })]);
      (await engine.renew(index, 1))._unsafeUnwrap();
      expect(
        await feed(engine, index, [
          upsert('a', { price: 2 }, { version: 2 }),
          upsert('a', { price: 1 }, { version: 1 }),
          remove('b', { version: 3 }),
        ]),
      ).toEqual(['applied', 'stale', 'applied']);
      expect((await engine.sweep(index, 1))._unsafeUnwrap()).toBe(0);
      const filter = { kind: 'range', field: 'price', min: 2, max: 2 } as const;
      expect(pksOf(await ask(engine, index, { filter, page: { limit: 9 } }))).toEqual(['a']);
      expect(
        await feed(engine, index, [upsert('a', {}, { version: 1 }), upsert('b', {}, { version: 2 })]),
      ).toEqual(['stale', 'stale']);
    },
  },
  {
    title: '[V8] a rebuild that another one has overtaken begins nothing and sweeps nothing',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      await feed(engine, index, [upsert('a', {})]);
      const renew = async (rebuild: number) => errorOf(await engine.renew(index, rebuild));
      const sweep = async (rebuild: number) => errorOf(await engine.sweep(index, rebuild));
      expect([await renew(0), await renew(2), await sweep(1)]).toEqual(Array(3).fill('RebuildMoved'));
      expect([await renew(1), await renew(2)]).toEqual(['no error', 'no error']);
      await feed(engine, index, [upsert('a', {})]);
      expect([await renew(2), await renew(1), await sweep(1)]).toEqual(Array(3).fill('RebuildMoved'));
      expect((await engine.sweep(index, 2))._unsafeUnwrap()).toBe(0);
      expect(pksOf(await ask(engine, index, everything))).toEqual(['a']);
      expect((await engine.sweep(index, 2))._unsafeUnwrap()).toBe(0);
      const ghost = freshName('ghost');
      expect(errorOf(await engine.renew(ghost, 1))).toBe('UnknownIndex');
      expect(errorOf(await engine.sweep(ghost, 1))).toBe('UnknownIndex');
    },
  },
  {
    title: '[V8] a rebuilt index equals one that was made from the scan alone',
    run: async ({ engine, analyzer, promises }) => {
      await fc.assert(
        fc.asyncProperty(
          historyArbitrary(1, 12, 40),
          historyArbitrary(1, 12, 30),
          historyArbitrary(1, 12, 20),
          async (before, scan, log) => {
            const spec = { name: await freshIndex(engine), epoch: 1, schema: sampleSchema };
            await feed(engine, spec.name, before);
            (await engine.renew(spec.name, 1))._unsafeUnwrap();
            await feed(engine, spec.name, scan);
            (await engine.sweep(spec.name, 1))._unsafeUnwrap();
            await feed(engine, spec.name, log);
            const truth = emptyIndex(spec);
            for (const change of [...scan, ...log]) applyTo(truth, analyzer, change);
            // Two contents of one place: which one stays is not promised.
            const places = new Map<string, Set<string>>();
            for (const { pk, freshness, event } of [...before, ...scan, ...log]) {
              const key = `${pk} ${JSON.stringify(freshness)}`;
              places.set(key, (places.get(key) ?? new Set()).add(event));
            }
            const torn = new Set(
              [...places].filter(([, events]) => events.size > 1).map(([key]) => key.split(' ')[0]),
            );
            const settled = (pks: readonly string[]) => pks.filter((pk) => !torn.has(pk)).sort();
            expect(settled(pksOf(await ask(engine, spec.name, everything)))).toEqual(
              settled(documentsOf(truth).map(({ pk }) => pk)),
            );
            const info = await infoOf(engine, spec.name);
            expect(info.documents + info.tombstones).toBe(truth.rows.size);
            await engine.drop(spec.name);
          },
        ),
        { numRuns: Math.min(100, promises.corpora ?? 100) },
      );
    },
  },
];

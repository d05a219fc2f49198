import fc from 'fast-check';
import { expect } from 'vitest';
import { DigestParts, documentHash, partOfHash } from '../document/digest.ts';
import { DIGEST_PARTS_MAX, PLACES_MAX } from '../engine/check-places.ts';
import type { DocumentPlace, PlacesPlan } from '../engine/search-engine.port.ts';
import { applyTo, documentsOf, emptyIndex } from './reference-index.ts';
import type { SearchEngineCase } from './search-engine-harness.ts';
import {
  ask,
  errorOf,
  everything,
  expiry,
  feed,
  freshIndex,
  freshName,
  remove,
  upsert,
} from './search-engine-probe.ts';
import { historyArbitrary, sampleSchema } from './vasgen.arbitraries.ts';

const byPk = (a: DocumentPlace, b: DocumentPlace): number => (a.pk < b.pk ? -1 : 1);

export const placeCases: readonly SearchEngineCase[] = [
  {
    title: '[V15] a hit carries its place, and a look tells what the index knows of a document',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      const place = { version: 7, timestampMs: 70 };
      await feed(engine, index, [
        upsert('a', {}, { version: 1 }),
        upsert('a', {}, place),
        remove('b', place),
        expiry('c', place),
      ]);
      const freshness = { epoch: 1, ...place, kind: 'document' };
      const { hits } = await ask(engine, index, everything);
      expect(hits.map((hit) => hit.freshness)).toEqual([freshness]);
      expect((await engine.look(index, ['b', 'nothing', 'a', 'c', 'a']))._unsafeUnwrap()).toEqual([
        { pk: 'b', state: 'tombstone', freshness },
        { pk: 'nothing', state: 'unknown' },
        { pk: 'a', state: 'alive', freshness },
        { pk: 'c', state: 'tombstone', freshness: { ...freshness, kind: 'expiry' } },
        { pk: 'a', state: 'alive', freshness },
      ]);
      expect((await engine.look(index, []))._unsafeUnwrap()).toEqual([]);
    },
  },
  {
    title: '[V14] digests and places are those of the living documents, part by part',
    run: async ({ engine, analyzer, promises }) => {
      await fc.assert(
        fc.asyncProperty(
          historyArbitrary(1, 40, 60),
          fc.constantFrom(1, 2, 7, 64),
          fc.integer({ min: 1, max: 5 }),
          async (history, parts, limit) => {
            const spec = { name: await freshIndex(engine), epoch: 1, schema: sampleSchema };
            const truth = emptyIndex(spec);
            for (const change of history) applyTo(truth, analyzer, change);
            await feed(engine, spec.name, history);
            const living = documentsOf(truth).map(({ pk, freshness }) => ({ pk, freshness }));
            for (const over of ['place', 'version'] as const) {
              const expected = new DigestParts(parts, over);
              for (const { pk, freshness } of living) expected.add(pk, freshness);
              expect((await engine.digest(spec.name, { parts, over }))._unsafeUnwrap()).toEqual(
                expected.result(),
              );
            }
            const listed: DocumentPlace[] = [];
            for (let part = 0; part < parts; part++) {
              const own: DocumentPlace[] = [];
              for (let page: readonly DocumentPlace[] = []; page.length === limit || own.length === 0;) {
                const after = own.at(-1)?.pk;
                const plan = { part, parts, limit, ...(after === undefined ? {} : { after }) };
                page = (await engine.places(spec.name, plan))._unsafeUnwrap();
                own.push(...page);
                if (page.length === 0) break;
              }
              expect(own).toEqual([...own].sort(byPk));
              expect(own.every(({ pk }) => partOfHash(documentHash(pk), parts) === part)).toBe(true);
              listed.push(...own);
            }
            expect(listed.sort(byPk)).toEqual(living.sort(byPk));
            await engine.drop(spec.name);
          },
        ),
        { numRuns: Math.min(50, promises.corpora ?? 50) },
      );
    },
  },
  {
    title: '[V14] a digest has no order and shows one changed place; over versions two epochs are equal',
    run: async ({ engine }) => {
      const one = await freshIndex(engine, { epoch: 1 });
      const two = await freshIndex(engine, { epoch: 2 });
      const pks = ['a', 'b', 'c', 'd', 'e'];
      const batch = (epoch: number, timestampMs: number) =>
        pks.map((pk, n) => upsert(pk, {}, { epoch, version: n, timestampMs }));
      await feed(engine, one, batch(1, 1));
      await feed(engine, two, batch(2, 2).reverse());
      const plan = (over: 'place' | 'version') => ({ parts: 3, over });
      const digest = async (index: typeof one, over: 'place' | 'version') =>
        (await engine.digest(index, plan(over)))._unsafeUnwrap();
      expect(await digest(one, 'version')).toEqual(await digest(two, 'version'));
      expect(await digest(one, 'place')).not.toEqual(await digest(two, 'place'));
      const before = await digest(one, 'place');
      await feed(engine, one, [upsert('c', {}, { version: 2, timestampMs: 2 })]);
      const after = await digest(one, 'place');
      const changed = before.flatMap((part, at) => (part.sum === after[at]!.sum ? [] : [at]));
      expect(changed).toEqual([partOfHash(documentHash('c'), 3)]);
      expect(after.map(({ count }) => count)).toEqual(before.map(({ count }) => count));
    },
  },
  {
    title: '[V14] a digest or a list outside its limits is refused with the limit’s name',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      const paths = async (plan: PlacesPlan) => {
        const error = (await engine.places(index, plan))._unsafeUnwrapErr();
        return error.kind === 'InvalidInput' ? error.violations.map(({ path }) => path) : [error.kind];
      };
      expect(await paths({ part: 2, parts: 2, limit: 0 })).toEqual(['part', 'limit']);
      expect(await paths({ part: 0, parts: DIGEST_PARTS_MAX + 1, limit: PLACES_MAX + 1 })).toEqual([
        'parts',
        'limit',
      ]);
      expect((await engine.places(index, { part: 1, parts: 2, limit: PLACES_MAX }))._unsafeUnwrap()).toEqual(
        [],
      );
      expect(errorOf(await engine.digest(index, { parts: 0, over: 'place' }))).toBe('InvalidInput');
      expect((await engine.digest(index, { parts: DIGEST_PARTS_MAX, over: 'place' })).isOk()).toBe(true);
      const ghost = freshName('ghost');
      expect(errorOf(await engine.look(ghost, ['a']))).toBe('UnknownIndex');
      expect(errorOf(await engine.digest(ghost, { parts: 1, over: 'place' }))).toBe('UnknownIndex');
      expect(errorOf(await engine.places(ghost, { part: 0, parts: 1, limit: 1 }))).toBe('UnknownIndex');
    },
  },
];

import fc from 'fast-check';
import { err, ok } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CatalogContent } from '../domain/catalog.ts';
import type { CategoryId } from '../domain/category.ts';
import { noOverride } from '../domain/standard-filters.ts';
import type { CatalogStore } from '../ports/catalog-store.port.ts';
import { anyCatalog, named } from './catalog.arbitraries.ts';

export type CatalogStoreHarness = {
  /** An empty store that keeps the newest `keep` versions. `again` opens the same one a second time. */
  readonly open: (keep: number) => Promise<{
    readonly store: CatalogStore;
    readonly again: () => CatalogStore;
    readonly close: () => Promise<void>;
  }>;
};
const KEEP = 3;
const contentNamed = (name: string, children = 0): CatalogContent => ({
  attributes: [],
  categories: [undefined, ...Array.from({ length: children }, (_, i) => i)].map((child) => ({
    id: (child === undefined ? 'root' : `c${child}`) as CategoryId,
    parent: child === undefined ? undefined : ('root' as CategoryId),
    names: named(child === undefined ? name : `${name} child ${child} ${'x'.repeat(200)}`),
    attributes: [],
    filters: noOverride,
    retired: false,
  })),
});

export const catalogStoreContract = (backend: string, { open }: CatalogStoreHarness): void => {
  describe(`CatalogStore contract: ${backend}`, () => {
    let store: CatalogStore, again: () => CatalogStore, close: () => Promise<void>;
    beforeEach(async () => ({ store, again, close } = await open(KEEP)));
    afterEach(() => close());
    const publish = async (name: string, expected: number) =>
      (await store.publish(contentNamed(name), expected))._unsafeUnwrap();

    test('[C3] before the first version there is nothing', async () => {
      expect(await store.current()).toEqual(ok(undefined));
      expect(await store.versions()).toEqual(ok([]));
      for (const version of [0, 1, -1, 1.5])
        expect(await store.load(version)).toEqual(err({ kind: 'UnknownVersion', version }));
    });
    test('[C3] versions count without gaps and read back as they were', async () => {
      const first = await publish('one', 0);
      const second = await publish('two', 1);
      expect([first.version, second.version]).toEqual([1, 2]);
      expect(await store.current()).toEqual(ok(second));
      expect(Math.abs(second.publishedAtMs - Date.now())).toBeLessThan(60_000);
      expect(await again().load(1)).toEqual(ok(contentNamed('one')));
      expect(await again().load(2)).toEqual(ok(contentNamed('two')));
    });
    test('[C3] a publisher that has not seen the newest version is refused, and nothing is written', async () => {
      await publish('one', 0);
      expect(await store.publish(contentNamed('late'), 0)).toEqual(
        err({ kind: 'VersionTaken', expected: 0, actual: 1 }),
      );
      expect(await store.publish(contentNamed('early'), 5)).toEqual(
        err({ kind: 'VersionTaken', expected: 5, actual: 1 }),
      );
      expect(await store.versions().map((versions) => versions.length)).toEqual(ok(1));
      expect(await store.load(1)).toEqual(ok(contentNamed('one')));
    });
    test('[C3] one of eight racing publishers wins', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, i) => again().publish(contentNamed(`racer ${i}`), 0)),
      );
      expect(outcomes.filter((outcome) => outcome.isOk())).toHaveLength(1);
      const winner = outcomes.findIndex((outcome) => outcome.isOk());
      expect(await store.load(1)).toEqual(ok(contentNamed(`racer ${winner}`)));
    });
    test('[C3] old versions stay readable, so many as are kept', async () => {
      for (let n = 0; n < 6; n++) await publish(`v${n + 1}`, n);
      expect((await store.versions())._unsafeUnwrap().map(({ version }) => version)).toEqual([6, 5, 4]);
      expect(await store.load(4)).toEqual(ok(contentNamed('v4')));
      expect(await store.load(3)).toEqual(err({ kind: 'UnknownVersion', version: 3 }));
    });
    test('[C3] a large catalogue is one version like any other', async () => {
      const large = contentNamed('large', 4_000);
      (await store.publish(large, 0))._unsafeUnwrap();
      expect(await again().load(1)).toEqual(ok(large));
    });
    test('[C3] any content comes back as it was', async () => {
      let version = 0;
      await fc.assert(
        fc.asyncProperty(anyCatalog(), async (content) => {
          (await store.publish(content, version))._unsafeUnwrap();
          expect(await store.load(++version)).toEqual(ok(content));
        }),
        { numRuns: 60 },
      );
    });
  });
};

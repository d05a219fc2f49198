import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { memoryDatabase, realClock } from '../../kernel/testing.ts';
import type { Attribute, AttributeId } from '../domain/attribute.ts';
import type { CatalogContent } from '../domain/catalog.ts';
import type { Category, CategoryId } from '../domain/category.ts';
import { noOverride } from '../domain/standard-filters.ts';
import { named } from '../testing/catalog.arbitraries.ts';
import { inMemoryCatalogStore, jsonCatalogCodec } from '../testing/in-memory-catalog-store.ts';
import { makeCatalogChanges } from './catalog-changes.ts';
import { makePublishCatalog } from './publish-catalog.ts';

const category = (id: string, parent?: string): Category => ({
  id: id as CategoryId,
  parent: parent as CategoryId | undefined,
  names: named(id, `${id}-ру`),
  attributes: [],
  filters: noOverride,
  retired: false,
});
const size = (kind: 'boolean' | 'string'): Attribute => ({
  id: 'size' as AttributeId,
  names: named('size'),
  type: kind === 'boolean' ? { kind } : { kind, lengthMax: 5 },
  multiple: false,
  filterable: false,
  retired: false,
});
const contentOf = (
  categories: readonly string[],
  kind: 'boolean' | 'string' = 'boolean',
): CatalogContent => ({
  categories: [category('root'), ...categories.map((id) => category(id, 'root'))],
  attributes: [size(kind)],
});
const opened = () => {
  const store = inMemoryCatalogStore({
    db: memoryDatabase({ nowMs: () => realClock.nowMs() }),
    codec: jsonCatalogCodec,
    newUpload: randomUUID,
  });
  return { store, publish: makePublishCatalog({ store }), changes: makeCatalogChanges({ store }) };
};

test('[C3] publishes, retires what was left out, and says what changed', async () => {
  const { publish, store, changes } = opened();
  expect((await publish({ content: contentOf(['a', 'b']) }))._unsafeUnwrap()).toMatchObject({
    published: { version: 1 },
    base: 0,
  });
  const second = (await publish({ content: contentOf(['b', 'c']) }))._unsafeUnwrap();
  expect(second.changes).toEqual([
    { thing: 'category', id: 'c', change: 'added' },
    { thing: 'category', id: 'a', change: 'retired' },
  ]);
  expect((await store.load(2))._unsafeUnwrap().categories.find(({ id }) => id === 'a')).toMatchObject({
    retired: true,
  });
  expect((await changes({ since: 1 }))._unsafeUnwrap()).toEqual({ version: 2, changes: second.changes });
  expect((await changes({ since: 0, until: 1 }))._unsafeUnwrap().changes.map(({ change }) => change)).toEqual(
    ['added', 'added', 'added', 'added'],
  );
  expect((await changes({ since: 9 }))._unsafeUnwrapErr()).toEqual({ kind: 'UnknownVersion', version: 9 });
});
test('[C3] the same again is no new version, and a dry run only tells', async () => {
  const { publish, store } = opened();
  await publish({ content: contentOf(['a']) });
  expect((await publish({ content: contentOf(['a']) }))._unsafeUnwrap()).toEqual({
    published: undefined,
    base: 1,
    changes: [],
  });
  expect((await publish({ content: contentOf([]), dryRun: true }))._unsafeUnwrap()).toMatchObject({
    published: undefined,
    changes: [{ id: 'a', change: 'retired' }],
  });
  expect((await store.current())._unsafeUnwrap()!.version).toBe(1);
});
test('[C2] a broken catalogue publishes nothing', async () => {
  const { publish, store } = opened();
  const refused = await publish({
    content: { categories: [category('root'), category('a', 'lost')], attributes: [] },
  });
  expect(refused._unsafeUnwrapErr()).toMatchObject({
    kind: 'BrokenCatalog',
    mistakes: [{ code: 'UnknownParent', path: 'categories/a/parent' }],
  });
  expect((await store.current())._unsafeUnwrap()).toBeUndefined();
});
test('[C3] a change of type needs the flag, a stale expectation is refused', async () => {
  const { publish } = opened();
  await publish({ content: contentOf([]) });
  expect((await publish({ content: contentOf([], 'string') }))._unsafeUnwrapErr().kind).toBe('TypeChanges');
  expect((await publish({ content: contentOf(['x']), expected: 0 }))._unsafeUnwrapErr()).toEqual({
    kind: 'VersionTaken',
    expected: 0,
    actual: 1,
  });
  expect(
    (await publish({ content: contentOf([], 'string'), allowTypeChanges: true, expected: 1 }))._unsafeUnwrap()
      .published?.version,
  ).toBe(2);
});

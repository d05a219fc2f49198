import { errAsync } from 'neverthrow';
import { inMemoryGenericStorage, type MemoryDatabase } from '@doska/core/kernel/testing';
import type { GenericStorage, StoredValue } from '@doska/core/kernel';
import type { Breakage } from './breakage.ts';

const versionOf = (right: GenericStorage, space: string, key: string) =>
  right.get(space, [key]).map((found) => found[0]?.version ?? 0);

export const brokenStorages = (db: MemoryDatabase): readonly Breakage<GenericStorage>[] => [
  {
    name: 'a put without compare',
    noticedBy: [
      'refuses a stale version and does not change the value',
      'one of ten concurrent writers wins',
    ],
    broken: (right) => {
      const put: GenericStorage['put'] = (space, key, value) =>
        versionOf(right, space, key).andThen((version) =>
          right
            .put(space, key, value, version)
            .orElse((error) =>
              error.kind === 'VersionConflict' ? put(space, key, value, 0) : errAsync(error),
            ),
        );
      return { ...right, put };
    },
  },
  {
    name: 'a remove without compare',
    noticedBy: ['removes a key only at the expected version'],
    broken: (right) => ({
      ...right,
      remove: (space, key) =>
        versionOf(right, space, key).andThen((version) => right.remove(space, key, version)),
    }),
  },
  {
    name: 'spaces that share',
    noticedBy: ['spaces are separate'],
    broken: (right) => ({
      get: (_space, keys) => right.get('one', keys),
      put: (_space, key, value, expected) => right.put('one', key, value, expected),
      remove: (_space, key, expected) => right.remove('one', key, expected),
      list: (_space, options) => right.list('one', options),
    }),
  },
  {
    name: 'a value that is not copied',
    noticedBy: ['a stored value is a copy of the given bytes'],
    broken: (right) => {
      const kept = new Map<string, Uint8Array>();
      const same = (space: string) => (values: readonly StoredValue[]) =>
        values.map((one) => ({ ...one, value: kept.get(`${space}/${one.key}`) ?? one.value }));
      return {
        ...right,
        put: (space, key, value, expected) =>
          right.put(space, key, value, expected).map((version) => {
            kept.set(`${space}/${key}`, value);
            return version;
          }),
        get: (space, keys) => right.get(space, keys).map(same(space)),
      };
    },
  },
  {
    name: 'a list in the order of code units',
    noticedBy: ['lists in the order of UTF-8 bytes'],
    broken: (right) => ({
      ...right,
      list: (space, { after = '', limit }) =>
        right.list(space, { limit: 1_000 }).map((all) =>
          [...all]
            .sort((a, b) => (a.key < b.key ? -1 : 1))
            .filter(({ key }) => key > after)
            .slice(0, limit),
        ),
    }),
  },
  {
    name: 'a get in an order of its own',
    noticedBy: ['reads back stored values in the requested order'],
    broken: (right) => ({ ...right, get: (space, keys) => right.get(space, [...keys].sort()) }),
  },
  {
    name: 'a put without a bound',
    noticedBy: ['an oversize value is refused with its key and not stored'],
    broken: () => inMemoryGenericStorage(db, undefined, { valueBytesMax: Infinity }),
  },
];

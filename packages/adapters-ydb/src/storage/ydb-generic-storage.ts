import { err, errAsync, ok } from 'neverthrow';
import type { GenericStorage, StoredValue, VersionConflict } from '@doska/core/kernel';
import type { YdbClient } from '../driver/client.ts';
import { list, query, rows } from '../driver/query.ts';
import type { YdbTx } from '../driver/transaction.ts';
import { storedValues } from '../schema/storage-tables.ts';

const VALUE = { key: 'Utf8', version: 'Uint64', value: 'String' } as const;
export const VALUES_READ = query({
  name: 'storage/read',
  parameters: { space: 'Utf8', keys: list('Utf8') },
  results: [VALUE],
  text: 'SELECT key, version, value FROM stored_value WHERE space = $space AND key IN $keys;',
});
export const VERSION_READ = query({
  name: 'storage/version',
  parameters: { space: 'Utf8', key: 'Utf8' },
  results: [{ version: 'Uint64' }],
  text: 'SELECT version FROM stored_value WHERE space = $space AND key = $key;',
});
export const VALUE_WRITE = query({
  name: 'storage/write',
  parameters: { values: rows(storedValues.columns) },
  results: [],
  text: 'UPSERT INTO stored_value SELECT space, key, version, value FROM AS_TABLE($values);',
});
export const VALUE_DELETE = query({
  name: 'storage/delete',
  parameters: { keys: rows({ space: 'Utf8', key: 'Utf8' }) },
  results: [],
  text: 'DELETE FROM stored_value ON SELECT space, key FROM AS_TABLE($keys);',
});
export const VALUES_FIRST = query({
  name: 'storage/first',
  parameters: { space: 'Utf8', limit: 'Uint64' },
  results: [VALUE],
  text: 'SELECT key, version, value FROM stored_value WHERE space = $space ORDER BY space, key LIMIT $limit;',
});
export const VALUES_AFTER = query({
  name: 'storage/after',
  parameters: { space: 'Utf8', after: 'Utf8', limit: 'Uint64' },
  results: [VALUE],
  text: `SELECT key, version, value FROM stored_value WHERE space = $space AND key > $after
ORDER BY space, key LIMIT $limit;`,
});
export const storageQueries = [
  VALUES_READ,
  VERSION_READ,
  VALUE_WRITE,
  VALUE_DELETE,
  VALUES_FIRST,
  VALUES_AFTER,
];

const ROWS_MAX = 1_000;
/** An answer holds 50 MB. */
const ANSWER_BYTES = 40_000_000;

export const ydbGenericStorage = (client: YdbClient, { valueBytesMax = 256 * 1024 } = {}): GenericStorage => {
  const rowsAtOnce = Math.max(1, Math.min(ROWS_MAX, Math.floor(ANSWER_BYTES / valueBytesMax)));
  /** Runs `change` if the stored version is the expected one. */
  const compareAndSet = <T>(
    what: string,
    { space, key, expected }: { readonly space: string; readonly key: string; readonly expected: number },
    change: (tx: YdbTx) => Promise<T>,
  ) =>
    client
      .write(what, async (tx) => {
        const actual = (await tx.run(VERSION_READ, { space, key }))[0][0]?.version ?? 0;
        const conflict: VersionConflict = { kind: 'VersionConflict', key, expected, actual };
        return actual === expected ? ok(await change(tx)) : err(conflict);
      })
      .andThen((outcome) => outcome);
  return {
    get: (space, keys) =>
      client.read('storage.get', async (tx) => {
        const asked = [...new Set(keys)];
        const found = new Map<string, StoredValue>();
        for (let from = 0; from < asked.length; from += rowsAtOnce) {
          const part = asked.slice(from, from + rowsAtOnce);
          const isLast = from + rowsAtOnce >= asked.length;
          const [values] = await (isLast ? tx.commit : tx.run)(VALUES_READ, { space, keys: part });
          for (const value of values) found.set(value.key, value);
        }
        return keys.flatMap((key) => found.get(key) ?? []);
      }),
    put: (space, key, value, expected) => {
      if (value.byteLength > valueBytesMax)
        return errAsync({ kind: 'ValueTooLarge', key, bytes: value.byteLength, bytesMax: valueBytesMax });
      const version = expected + 1;
      return compareAndSet('storage.put', { space, key, expected }, async (tx) => {
        await tx.commit(VALUE_WRITE, { values: [{ space, key, version, value }] });
        return version;
      });
    },
    remove: (space, key, expected) =>
      compareAndSet('storage.remove', { space, key, expected }, async (tx) => {
        if (expected > 0) await tx.commit(VALUE_DELETE, { keys: [{ space, key }] });
      }).andThen(() =>
        expected > 0 ? ok(undefined) : err({ kind: 'VersionConflict' as const, key, expected, actual: 0 }),
      ),
    list: (space, { after, limit }) =>
      client.read('storage.list', async (tx) => {
        const most = Math.min(limit, ROWS_MAX);
        const found: StoredValue[] = [];
        for (let place = after; found.length < most;) {
          const part = Math.min(rowsAtOnce, most - found.length);
          const [values] =
            place === undefined
              ? await tx.run(VALUES_FIRST, { space, limit: part })
              : await tx.run(VALUES_AFTER, { space, after: place, limit: part });
          found.push(...values);
          if (values.length < part) break;
          place = values.at(-1)?.key;
        }
        return found;
      }),
  };
};

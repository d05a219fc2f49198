import { err, errAsync, ok } from 'neverthrow';
import type pg from 'pg';
import type { GenericStorage, StoredValue, VersionConflict } from '@doska/core/kernel';
import { guard } from '../driver/guard.ts';

type Row = { readonly key: string; readonly version: string; readonly value: Buffer };
const storedOf = ({ key, version, value }: Row): StoredValue => ({ key, value, version: Number(version) });

/* The first write of a key is an insert, every other an update. Both tell whether another writer was faster. */
const INSERT = `insert into stored_value (space, key, version, value) values ($1, $2, 1, $3) on conflict do nothing returning version`;
const UPDATE = `update stored_value set version = version + 1, value = $3 where space = $1 and key = $2 and version = $4 returning version`;

export const pgGenericStorage = (pool: pg.Pool, { valueBytesMax = 256 * 1024 } = {}): GenericStorage => {
  const conflict = async (space: string, key: string, expected: number): Promise<VersionConflict> => {
    const { rows } = await pool.query<{ version: string }>(
      'select version from stored_value where space = $1 and key = $2',
      [space, key],
    );
    return { kind: 'VersionConflict', key, expected, actual: Number(rows[0]?.version ?? 0) };
  };
  return {
    get: (space, keys) =>
      guard('storage.get', async () => {
        const { rows } = await pool.query<Row>(
          'select key, version, value from stored_value where space = $1 and key = any($2)',
          [space, keys],
        );
        const found = new Map(rows.map((row) => [row.key, storedOf(row)]));
        return keys.flatMap((key) => found.get(key) ?? []);
      }),
    put: (space, key, value, expected) => {
      if (value.byteLength > valueBytesMax)
        return errAsync({ kind: 'ValueTooLarge', key, bytes: value.byteLength, bytesMax: valueBytesMax });
      const write = () =>
        expected === 0
          ? pool.query<{ version: string }>(INSERT, [space, key, value])
          : pool.query<{ version: string }>(UPDATE, [space, key, value, expected]);
      return guard('storage.put', async () => {
        const version = (await write()).rows[0]?.version;
        return version === undefined ? err(await conflict(space, key, expected)) : ok(Number(version));
      }).andThen((outcome) => outcome);
    },
    remove: (space, key, expected) =>
      guard('storage.remove', async () => {
        const { rowCount } = await pool.query(
          'delete from stored_value where space = $1 and key = $2 and version = $3',
          [space, key, expected],
        );
        return rowCount === 1 ? ok(undefined) : err(await conflict(space, key, expected));
      }).andThen((outcome) => outcome),
    list: (space, { after, limit }) =>
      guard('storage.list', async () => {
        const { rows } = await pool.query<Row>(
          'select key, version, value from stored_value where space = $1 and ($2::text is null or key > $2) order by key limit $3',
          [space, after ?? null, Math.min(limit, 1_000)],
        );
        return rows.map(storedOf);
      }),
  };
};

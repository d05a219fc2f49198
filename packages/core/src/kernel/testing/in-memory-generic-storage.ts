import { err, ok } from 'neverthrow';
import type { GenericStorage, StoredValue } from '../ports/generic-storage.port.ts';
import { direct, type Io } from './io.ts';
import { transact, type MemoryDatabase } from './memory-database.ts';

type Row = { readonly value: Uint8Array; readonly version: number };

export const inMemoryGenericStorage = (
  db: MemoryDatabase,
  io: Io = direct,
  { valueBytesMax = 256 * 1024 } = {},
): GenericStorage => {
  const stored = (key: string, { value, version }: Row): StoredValue => ({
    key,
    value: value.slice(),
    version,
  });
  return {
    get: (space, keys) =>
      transact(db, io, 'storage.get', { space, keys }, (tx) =>
        ok(
          keys.flatMap((key) => {
            const row = tx.get<Row>(`storage/${space}`, key);
            return row ? [stored(key, row)] : [];
          }),
        ),
      ),
    put: (space, key, value, expected) =>
      transact(db, io, 'storage.put', { space, key, expected }, (tx) => {
        if (value.byteLength > valueBytesMax)
          return err({
            kind: 'ValueTooLarge' as const,
            key,
            bytes: value.byteLength,
            bytesMax: valueBytesMax,
          });
        const actual = tx.get<Row>(`storage/${space}`, key)?.version ?? 0;
        if (actual !== expected) return err({ kind: 'VersionConflict' as const, key, expected, actual });
        tx.put(`storage/${space}`, key, { value: value.slice(), version: actual + 1 });
        return ok(actual + 1);
      }),
    remove: (space, key, expected) =>
      transact(db, io, 'storage.remove', { space, key, expected }, (tx) => {
        const actual = tx.get<Row>(`storage/${space}`, key)?.version ?? 0;
        if (actual !== expected) return err({ kind: 'VersionConflict' as const, key, expected, actual });
        tx.delete(`storage/${space}`, key);
        return ok(undefined);
      }),
    list: (space, { after, limit }) =>
      transact(db, io, 'storage.list', { space, after, limit }, (tx) =>
        ok(
          tx
            .scan<Row>(`storage/${space}`, {
              limit: Math.min(limit, 1_000),
              ...(after === undefined ? {} : { after }),
            })
            .map(([key, row]) => stored(key, row)),
        ),
      ),
  };
};

import { err, ok, type Result } from 'neverthrow';
import type { ShardsMismatch } from '../../kernel/index.ts';
import { direct, transact, type Io, type MemoryDatabase } from '../../kernel/testing.ts';
import type { ExportQueue } from '../export/export-queue.port.ts';
import { ROWS_MAX } from '../commit/offer-store.port.ts';
import type { Timers } from '../expiry/timers.port.ts';
import { after, keyOf, type QueueRow, type TimerRow } from './memory-rows.ts';

type ParkedRow = QueueRow & { readonly reason: string };

export const inMemoryExportQueue = (db: MemoryDatabase, io: Io = direct): ExportQueue => ({
  settleShards: (configured) =>
    transact(db, io, 'queue.settleShards', configured, (tx): Result<void, ShardsMismatch> => {
      const { shards } = tx.get<{ shards: number }>('gost_setting', 'shards') ?? { shards: configured };
      if (shards !== configured)
        return err({ kind: 'ShardsMismatch', set: 'gost-export', shards, configured });
      tx.put('gost_setting', 'shards', { shards });
      return ok(undefined);
    }),
  read: (shard, limit) =>
    transact(db, io, 'queue.read', { shard, limit }, (tx) =>
      ok(
        tx
          .scan<QueueRow>('gost_queue', { ...after(String(shard)), limit: Math.min(limit, ROWS_MAX) })
          .map(([, row]) => row),
      ),
    ),
  delete: (keys) =>
    transact(db, io, 'queue.delete', keys, (tx) => {
      for (const key of keys) tx.delete('gost_queue', keyOf.queue(key));
      return ok(undefined);
    }),
  park: (records, reason) =>
    transact(db, io, 'queue.park', { reason }, (tx) => {
      for (const key of records) {
        const row = tx.get<QueueRow>('gost_queue', keyOf.queue(key));
        if (row) tx.put('gost_parked', keyOf.queue(key), { ...row, reason });
        tx.delete('gost_queue', keyOf.queue(key));
      }
      return ok(undefined);
    }),
  parked: (shard, limit, key) =>
    transact(db, io, 'queue.parked', { shard, limit, key }, (tx) =>
      ok(
        tx
          .scan<ParkedRow>('gost_parked', after(String(shard)))
          .filter(([, row]) => key === undefined || row.key === key)
          .slice(0, Math.min(limit, ROWS_MAX))
          .map(([, { value, ...row }]) => ({ ...row, bytes: value.length })),
      ),
    ),
  unpark: (key) =>
    transact(db, io, 'queue.unpark', key, (tx) => {
      const row = tx.get<ParkedRow>('gost_parked', keyOf.queue(key));
      if (!row) return ok(false);
      const { reason: _gone, ...queued } = row;
      tx.put('gost_queue', keyOf.queue(key), queued);
      tx.delete('gost_parked', keyOf.queue(key));
      return ok(true);
    }),
});

export const inMemoryTimers = (db: MemoryDatabase, io: Io = direct): Timers => ({
  due: (what, shard, untilUs, limit) =>
    transact(db, io, 'timers.due', { what, shard, untilUs }, (tx) =>
      ok(
        tx
          .scan<TimerRow>('gost_timer', {
            from: `${keyOf.timers(what, shard)}/`,
            to: keyOf.timersAfter(what, shard, untilUs),
            limit: Math.min(limit, ROWS_MAX),
          })
          .map(([, row]) => row),
      ),
    ),
});

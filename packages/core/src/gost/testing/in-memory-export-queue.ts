import { err, ok, type Result } from 'neverthrow';
import type { ShardsMismatch } from '../../kernel/index.ts';
import { direct, transact, type Io, type MemoryDatabase } from '../../kernel/testing.ts';
import type { ExportQueue } from '../ports/export-queue.port.ts';
import { ROWS_MAX } from '../ports/offer-store.port.ts';
import type { Timers } from '../ports/timers.port.ts';
import { after, keyOf, type QueueRow, type TimerRow } from './memory-rows.ts';

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

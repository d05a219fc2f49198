import { err, ok, type Result } from 'neverthrow';
import type { ShardsMismatch } from '../../kernel/index.ts';
import { direct, transact, type Io, type MemoryDatabase } from '../../kernel/testing.ts';
import type { Expiry } from '../ports/expiry.port.ts';
import type { ExportQueue } from '../ports/export-queue.port.ts';
import { ROWS_MAX } from '../ports/offer-store.port.ts';
import { after, keyOf, type ExpiryRow, type QueueRow } from './memory-rows.ts';

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

export const inMemoryExpiry = (db: MemoryDatabase, io: Io = direct): Expiry => ({
  due: (shard, nowUs, limit) =>
    transact(db, io, 'expiry.due', { shard, nowUs }, (tx) =>
      ok(
        tx
          .scan<ExpiryRow>('gost_expiry', {
            from: `${shard}/`,
            to: keyOf.expiryBefore(shard, nowUs),
            limit: Math.min(limit, ROWS_MAX),
          })
          .map(([, row]) => row),
      ),
    ),
});

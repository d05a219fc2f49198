import { err, ok } from 'neverthrow';
import { direct, transact, type Io, type MemoryDatabase, type MemoryTx } from '../../kernel/testing.ts';
import type { DocumentQueues, QueueShard } from '../queues/document-queues.port.ts';
import type { FailedElement } from '../queues/queue-element.ts';
import { REGISTRY_ROWS_MAX } from '../registry/document-registry.port.ts';
import type { RegistryRow } from '../registry/registry-row.ts';
import { fittingRows } from './in-memory-registry.ts';
import { addElement } from './memory-elements.ts';
import { below, keyOf, type ClientRow, type ElementRow, type IdxRow } from './memory-rows.ts';

const most = (limit: number): number => Math.min(limit, REGISTRY_ROWS_MAX);
const queued = (tx: MemoryTx, client: string, { writtenAtMs: _, ...element }: ElementRow) => ({
  element,
  row: tx.get<RegistryRow>('vasgen_registry', keyOf.row(client, element.epoch, element.pk)),
});
const shardKey = ({ client, queue, shard }: QueueShard): string => keyOf.shard(client, queue, shard);

export const inMemoryQueues = (db: MemoryDatabase, io: Io = direct): DocumentQueues => ({
  read: (at, after, limit) =>
    transact(db, io, 'vasgen.readQueue', { at, after }, (tx) => {
      const rows = tx.scan<ElementRow>('vasgen_element', {
        ...below(shardKey(at)),
        after: keyOf.element(at.client, at.queue, at.shard, after),
        limit: most(limit),
      });
      const found = rows.map(([, row]) => queued(tx, at.client, row));
      return ok(fittingRows(found, ({ row }) => 200 + (row?.body?.byteLength ?? 0)));
    }),
  offset: ({ client, queue, shard, group }) =>
    transact(db, io, 'vasgen.offset', { client, queue, shard, group }, (tx) =>
      ok(tx.get<IdxRow>('vasgen_offset', keyOf.offset(client, queue, shard, group))?.idx),
    ),
  advance: ({ client, queue, shard, group }, { from, to, failed, parked }) =>
    transact(db, io, 'vasgen.advance', { client, queue, shard, group, from, to }, (tx) => {
      const key = keyOf.offset(client, queue, shard, group);
      const actual = tx.get<IdxRow>('vasgen_offset', key)?.idx;
      if (actual !== from) return err({ kind: 'OffsetMoved' as const, expected: from, actual });
      tx.put('vasgen_offset', key, { idx: to } satisfies IdxRow);
      for (const element of failed) addElement(tx, { client, queue: 'failed', shard }, element);
      for (const element of parked)
        tx.put('vasgen_parked', keyOf.parked(client, element.epoch, element.pk), element);
      return ok(undefined);
    }),
  parked: (client, { after, limit }) =>
    transact(db, io, 'vasgen.parked', { client, after }, (tx) =>
      ok(
        tx
          .scan<FailedElement>('vasgen_parked', {
            ...below(client),
            ...(after ? { after: keyOf.parked(client, after.epoch, after.pk) } : {}),
            limit: most(limit),
          })
          .map(([, element]) => element),
      ),
    ),
  unpark: (client, documents) =>
    transact(db, io, 'vasgen.unpark', { client, documents }, (tx) => {
      for (const { epoch, pk } of documents) tx.delete('vasgen_parked', keyOf.parked(client, epoch, pk));
      return ok(undefined);
    }),
  resend: (client, queue, epoch, documents) =>
    transact(db, io, 'vasgen.resend', { client, queue, epoch, documents }, (tx) => {
      let count = 0;
      for (const { pk, shard } of documents) {
        const row = tx.get<RegistryRow>('vasgen_registry', keyOf.row(client, epoch, pk));
        if (!row) continue;
        const { version, timestampMs } = row.place;
        addElement(tx, { client, queue, shard }, { pk, epoch, version, timestampMs, failure: undefined });
        count++;
      }
      return ok(count);
    }),
  heads: (client, queue) =>
    transact(db, io, 'vasgen.heads', { client, queue }, (tx) => {
      const shards = tx.get<ClientRow>('vasgen_client', client)?.shards ?? 0;
      const headOf = (shard: number): number =>
        tx.get<IdxRow>('vasgen_head', keyOf.shard(client, queue, shard))?.idx ?? 0;
      return ok(Array.from({ length: shards }, (_, shard) => headOf(shard)));
    }),
  offsets: (client, queue, group) =>
    transact(db, io, 'vasgen.offsets', { client, queue, group }, (tx) => {
      const shards = tx.get<ClientRow>('vasgen_client', client)?.shards ?? 0;
      const offsetOf = (shard: number): number =>
        tx.get<IdxRow>('vasgen_offset', keyOf.offset(client, queue, shard, group))?.idx ?? 0;
      return ok(Array.from({ length: shards }, (_, shard) => offsetOf(shard)));
    }),
  purge: (at, beforeMs, limit) =>
    transact(db, io, 'vasgen.purgeQueue', { at, beforeMs }, (tx) => {
      const offsets = tx.scan<IdxRow>('vasgen_offset', below(shardKey(at))).map(([, { idx }]) => idx);
      if (offsets.length === 0) return ok(0);
      const done = Math.min(...offsets);
      const old = tx
        .scan<ElementRow>('vasgen_element', { ...below(shardKey(at)), limit: most(limit) })
        .filter(([, { idx, writtenAtMs }]) => idx <= done && writtenAtMs < beforeMs);
      for (const [key] of old) tx.delete('vasgen_element', key);
      return ok(old.length);
    }),
});

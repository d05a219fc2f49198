import { err, ok } from 'neverthrow';
import { direct, transact, type Io, type MemoryDatabase, type MemoryTx } from '../../kernel/testing.ts';
import { isFresher } from '../document/freshness.ts';
import { documentShard, pkHashOf } from '../queues/shard-of-document.ts';
import { isRaised } from '../registry/judge.ts';
import type { Lane, RegistryRow, RowHead } from '../registry/registry-row.ts';
import {
  REGISTRY_ROWS_MAX,
  type DocumentRegistry,
  type RegistryWrite,
  type WriteOutcome,
} from '../registry/document-registry.port.ts';
import { addElement } from './memory-elements.ts';
import { below, keyOf, upTo, type ClientRow, type DueRow, type EpochRow } from './memory-rows.ts';

/** When something is to happen to the row by itself: its ttl runs out, or its tombstone is forgotten. */
const dueKey = (client: string, shard: number, row: RowHead): string | undefined => {
  const { pk, place, status, expiresAtMs, writtenAtMs } = row;
  const due = { pk, epoch: place.epoch };
  if (status === 'tombstone') return keyOf.due(client, shard, 'tombstone', writtenAtMs, due);
  return expiresAtMs === undefined ? undefined : keyOf.due(client, shard, 'expiry', expiresAtMs, due);
};
const headOf = ({ body: _, ...head }: RegistryRow): RowHead => head;

const putRow = (
  tx: MemoryTx,
  client: string,
  shard: number,
  row: RegistryRow,
  old: RegistryRow | undefined,
): void => {
  const { pk, place } = row;
  const oldDue = old && dueKey(client, shard, old);
  if (oldDue) tx.delete('vasgen_due', oldDue);
  const due = dueKey(client, shard, row);
  if (due) tx.put('vasgen_due', due, { pk, epoch: place.epoch } satisfies DueRow);
  tx.put('vasgen_registry', keyOf.row(client, place.epoch, pk), row);
};
const enqueue = (tx: MemoryTx, client: string, lane: Lane, shard: number, { pk, place }: RowHead): void => {
  const { epoch, version, timestampMs } = place;
  addElement(tx, { client, queue: lane, shard }, { pk, epoch, version, timestampMs, failure: undefined });
};

const write = (tx: MemoryTx, client: string, one: RegistryWrite): WriteOutcome => {
  const { row, shard, mayBeFirst, erases } = one;
  const { pk, place, lane } = row;
  if (!tx.get<EpochRow>('vasgen_epoch', keyOf.epoch(client, place.epoch))) return { kind: 'unknownEpoch' };
  const stored = tx.get<RegistryRow>('vasgen_registry', keyOf.row(client, place.epoch, pk));
  if (!stored && !mayBeFirst) return { kind: 'absent' };
  if (stored && !isFresher(place, stored.place)) {
    const raised = isRaised(lane, place.version, stored);
    if (raised) {
      putRow(tx, client, shard, { ...stored, lane: 'main' }, stored);
      enqueue(tx, client, 'main', shard, stored);
    }
    return { kind: 'kept', stored: headOf(stored), raised };
  }
  putRow(tx, client, shard, row, stored);
  enqueue(tx, client, lane, shard, row);
  if (erases) tx.put('vasgen_erasure', `${client}/${pk}`, { pk, atMs: row.writtenAtMs });
  return { kind: 'written' };
};

const PAGE_BYTES_MAX = 1 << 20;
/** As many as fit a page; at least one. */
export const fittingRows = <T>(rows: readonly T[], bytesOf: (row: T) => number): readonly T[] => {
  let bytes = 0;
  const fits = rows.findIndex((row, i) => (bytes += bytesOf(row)) > PAGE_BYTES_MAX && i > 0);
  return fits < 0 ? rows : rows.slice(0, fits);
};

export const inMemoryRegistry = (db: MemoryDatabase, io: Io = direct): DocumentRegistry => ({
  accept: (client, writes, growth) => {
    const args = writes.map(({ row: { pk, place } }) => [pk, place.epoch, place.version, place.timestampMs]);
    return transact(db, io, 'vasgen.accept', { client, args }, (tx) => {
      if (growth) {
        const { epoch, to } = growth;
        const row = tx.get<EpochRow>('vasgen_epoch', keyOf.epoch(client, epoch));
        if (row && row.schema.number !== to.number - 1) return err({ kind: 'SchemaMoved' as const, epoch });
      }
      const outcomes = writes.map((one) => write(tx, client, one));
      if (growth && outcomes[0]?.kind === 'written') {
        const key = keyOf.epoch(client, growth.epoch);
        tx.put('vasgen_epoch', key, { ...tx.get<EpochRow>('vasgen_epoch', key)!, schema: growth.to });
      }
      return ok(outcomes);
    });
  },
  find: (client, epoch, pks) =>
    transact(db, io, 'vasgen.find', { client, epoch, pks }, (tx) =>
      ok(
        pks
          .slice(0, REGISTRY_ROWS_MAX)
          .flatMap((pk) => tx.get<RegistryRow>('vasgen_registry', keyOf.row(client, epoch, pk)) ?? []),
      ),
    ),
  scan: (client, epoch, { after, limit }) =>
    transact(db, io, 'vasgen.scan', { client, epoch, after }, (tx) => {
      const most = Math.min(limit, REGISTRY_ROWS_MAX);
      const found = tx
        .scan<RegistryRow>('vasgen_registry', {
          ...below(keyOf.rows(client, epoch)),
          ...(after ? { after: keyOf.row(client, epoch, after.pk, after.hash) } : {}),
          limit: most,
        })
        .map(([, row]) => row);
      const rows = fittingRows(found, ({ body }) => 200 + (body?.byteLength ?? 0));
      const last = rows.at(-1);
      const isEnd = rows.length === found.length && found.length < most;
      return ok({ rows, next: isEnd || !last ? undefined : { hash: pkHashOf(last.pk), pk: last.pk } });
    }),
  expired: (client, shard, nowMs, limit) =>
    transact(db, io, 'vasgen.expired', { client, shard, nowMs }, (tx) =>
      ok(
        tx
          .scan<DueRow>('vasgen_due', {
            ...upTo(keyOf.dues(client, shard, 'expiry'), nowMs + 1),
            limit: Math.min(limit, REGISTRY_ROWS_MAX),
          })
          .flatMap(([, { pk, epoch }]) => {
            const row = tx.get<RegistryRow>('vasgen_registry', keyOf.row(client, epoch, pk));
            return row ? [headOf(row)] : [];
          }),
      ),
    ),
  forgetTombstones: (client, shard, beforeMs, limit) =>
    transact(db, io, 'vasgen.forgetTombstones', { client, shard, beforeMs }, (tx) => {
      const due = tx.scan<DueRow>('vasgen_due', {
        ...upTo(keyOf.dues(client, shard, 'tombstone'), beforeMs),
        limit: Math.min(limit, REGISTRY_ROWS_MAX),
      });
      for (const [key, { pk, epoch }] of due) {
        tx.delete('vasgen_due', key);
        tx.delete('vasgen_registry', keyOf.row(client, epoch, pk));
      }
      return ok(due.length);
    }),
  dropRows: (client, epoch, limit) =>
    transact(db, io, 'vasgen.dropRows', { client, epoch }, (tx) => {
      if (tx.get('vasgen_epoch', keyOf.epoch(client, epoch))) return ok(0);
      const shards = tx.get<ClientRow>('vasgen_client', client)?.shards ?? 1;
      const rows = tx.scan<RegistryRow>('vasgen_registry', {
        ...below(keyOf.rows(client, epoch)),
        limit: Math.min(limit, REGISTRY_ROWS_MAX),
      });
      for (const [key, row] of rows) {
        const due = dueKey(client, documentShard(row.pk, shards), row);
        if (due) tx.delete('vasgen_due', due);
        tx.delete('vasgen_registry', key);
      }
      return ok(rows.length);
    }),
});

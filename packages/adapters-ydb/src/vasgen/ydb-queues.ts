import { err, ok, ResultAsync } from 'neverthrow';
import {
  pkHashOf,
  REGISTRY_ROWS_MAX,
  type ClientName,
  type DocumentQueues,
  type FailedElement,
  type QueuedDocument,
  type QueueReader,
  type QueueShard,
} from '@doska/core/vasgen';
import type { YdbClient } from '../driver/client.ts';
import type { RowOf } from '../driver/column-type.ts';
import type { YdbTx } from '../driver/transaction.ts';
import { fitting, readBodies } from './body-pages.ts';
import { QUEUE } from './codes.ts';
import { headKeys, numberElements, turnsOf, type HeadIdx, type NewElement } from './element-rows.ts';
import {
  ADVANCE,
  HEADS,
  OFFSET,
  OFFSETS,
  PARKED,
  PURGE,
  PURGEABLE,
  QUEUE_READ,
  RESEND_READ,
  RESEND_WRITE,
  SHARDS,
  UNPARK,
} from './queue-queries.ts';
import { keyOf, type HeadRow } from './registry-rows.ts';
import type { ShardTurns } from './shard-turns.ts';

const most = (limit: number): number => Math.min(limit, REGISTRY_ROWS_MAX);
const shardOf = ({ client, queue, shard }: QueueShard) => ({ client, queue: QUEUE.code[queue], shard });
const offsetKey = (reader: QueueReader) => ({ ...shardOf(reader), reader: reader.group });

type ReadRow = RowOf<(typeof QUEUE_READ)['results'][0]>;
/** A row that is there has all its columns. */
const headOfRead = (row: ReadRow): HeadRow | undefined =>
  row.version === undefined ? undefined : (row as HeadRow);
const elementOf = (row: ReadRow): QueuedDocument['element'] => ({
  idx: row.idx,
  pk: row.pk,
  epoch: row.epoch,
  version: row.at_version,
  timestampMs: row.at_timestamp_ms,
  failure:
    row.failed_in === undefined
      ? undefined
      : {
          queue: QUEUE.name(row.failed_in),
          reason: row.reason ?? '',
          attempts: row.attempts ?? 0,
          retryAtMs: row.retry_at_ms ?? 0,
        },
});
const parkedRow = (client: ClientName, { pk, epoch, version, timestampMs, failure }: FailedElement) => ({
  client,
  epoch,
  pk,
  version,
  timestamp_ms: timestampMs,
  failed_in: QUEUE.code[failure.queue],
  reason: failure.reason,
  attempts: failure.attempts,
  retry_at_ms: failure.retryAtMs,
});
/** A value for each shard, 0 where no row is. */
const perShard = (
  shards: number,
  rows: readonly { readonly shard: number; readonly idx: number }[],
): readonly number[] => {
  const known = new Map(rows.map(({ shard, idx }) => [shard, idx]));
  return Array.from({ length: shards }, (_, shard) => known.get(shard) ?? 0);
};
const headsOf = async (tx: YdbTx, client: ClientName, added: readonly NewElement[]) =>
  added.length === 0 ? [] : (await tx.run(RESEND_READ, { keys: [], heads: headKeys(client, added) }))[1];

export const ydbQueues = (client: YdbClient, turns: ShardTurns): DocumentQueues => ({
  read: (at, after, limit) =>
    client.read('vasgen.readQueue', async (tx) => {
      const asked = { ...shardOf(at), after: Math.max(0, after), limit: most(limit) };
      const [found] = await tx.run(QUEUE_READ, asked);
      // A join does not keep the order of its left side.
      const page = fitting(
        [...found].sort((a, b) => a.idx - b.idx),
        ({ body_bytes }) => body_bytes ?? 0,
      );
      const rows = await readBodies(
        tx,
        at.client,
        page.flatMap((row) => headOfRead(row) ?? []),
      );
      const byKey = new Map(rows.map((row) => [keyOf({ epoch: row.place.epoch, pk: row.pk }), row]));
      return page.map((row) => ({ element: elementOf(row), row: byKey.get(keyOf(row)) }));
    }),
  offset: (reader) =>
    client.read('vasgen.offset', async (tx) => (await tx.commit(OFFSET, offsetKey(reader)))[0][0]?.idx),
  advance: (reader, { from, to, failed, parked }) => {
    const added = failed.map((element): NewElement => ({ ...element, queue: 'failed', shard: reader.shard }));
    return new ResultAsync(
      turns(turnsOf(reader.client, added), async () =>
        client.write('vasgen.advance', async (tx) => {
          const key = offsetKey(reader);
          const actual = (await tx.run(OFFSET, key))[0][0]?.idx;
          if (actual !== from) return err({ kind: 'OffsetMoved' as const, expected: from, actual });
          const heads: readonly HeadIdx[] = await headsOf(tx, reader.client, added);
          const kept = new Map(parked.map((element) => [keyOf(element), parkedRow(reader.client, element)]));
          await tx.commit(ADVANCE, {
            ...key,
            idx: to,
            ...numberElements(reader.client, heads, added),
            parked: [...kept.values()],
          });
          return ok(undefined);
        }),
      ),
    ).andThen((outcome) => outcome);
  },
  parked: (of, { after, limit }) =>
    client.read('vasgen.parked', async (tx) => {
      const place = { epoch: after?.epoch ?? -1, pk: after?.pk ?? '' };
      const [found] = await tx.commit(PARKED, { client: of, ...place, limit: most(limit) });
      return found.map(({ pk, epoch, version, timestamp_ms, failed_in, reason, attempts, retry_at_ms }) => ({
        pk,
        epoch,
        version,
        timestampMs: timestamp_ms,
        failure: { queue: QUEUE.name(failed_in), reason, attempts, retryAtMs: retry_at_ms },
      }));
    }),
  unpark: (of, documents) =>
    client.write(
      'vasgen.unpark',
      async (tx) => {
        const keys = new Map(
          documents.map(({ epoch, pk }) => [keyOf({ epoch, pk }), { client: of, epoch, pk }]),
        );
        if (keys.size > 0) await tx.commit(UNPARK, { keys: [...keys.values()] });
      },
      { idempotent: true },
    ),
  // Elements that are added twice lead to the same state of the index, so an unknown outcome is tried again.
  resend: (of, queue, epoch, documents) => {
    const asked = documents.map(({ shard }) => ({ queue, shard }));
    return new ResultAsync(
      turns(turnsOf(of, asked), async () =>
        client.write(
          'vasgen.resend',
          async (tx) => {
            const pks = [...new Set(documents.map(({ pk }) => pk))];
            if (pks.length === 0) return 0;
            const [rows, heads] = await tx.run(RESEND_READ, {
              keys: pks.map((pk) => ({ client: of, epoch, hash: pkHashOf(pk), pk })),
              heads: headKeys(of, asked),
            });
            const known = new Map(rows.map((row) => [row.pk, row]));
            const added = documents.flatMap(({ pk, shard }): readonly NewElement[] => {
              const row = known.get(pk);
              if (!row) return [];
              return [{ pk, epoch, version: row.version, timestampMs: row.timestamp_ms, queue, shard }];
            });
            if (added.length > 0) await tx.commit(RESEND_WRITE, numberElements(of, heads, added));
            return added.length;
          },
          { idempotent: true },
        ),
      ),
    );
  },
  heads: (of, queue) =>
    client.read('vasgen.heads', async (tx) => {
      const found: { readonly shard: number; readonly idx: number }[] = [];
      for (let from = 0; ;) {
        const [[known], page] = await tx.run(HEADS, { client: of, queue: QUEUE.code[queue], from });
        found.push(...page);
        const last = page.at(-1);
        if (!last || page.length < REGISTRY_ROWS_MAX) return perShard(known?.shards ?? 0, found);
        from = last.shard + 1;
      }
    }),
  offsets: (of, queue, group) =>
    client.read('vasgen.offsets', async (tx) => {
      const shards = (await tx.run(SHARDS, { client: of }))[0][0]?.shards ?? 0;
      const found: { readonly shard: number; readonly idx: number }[] = [];
      for (let from = 0; from < shards; from += REGISTRY_ROWS_MAX) {
        const length = Math.min(REGISTRY_ROWS_MAX, shards - from);
        const keys = Array.from({ length }, (_, i) =>
          offsetKey({ client: of, queue, shard: from + i, group }),
        );
        found.push(...(await tx.run(OFFSETS, { keys }))[0]);
      }
      return perShard(shards, found);
    }),
  // What every group has done stays done, and elements do not change: so the keys may be read before the transaction.
  purge: (at, beforeMs, limit) =>
    client
      .read('vasgen.purgeable', async (tx) => {
        const [offsets, oldest] = await tx.commit(PURGEABLE, { ...shardOf(at), limit: most(limit) });
        const done = Math.min(...offsets.map(({ idx }) => idx));
        return offsets.length === 0
          ? []
          : oldest.filter(({ idx, written_at }) => idx <= done && written_at < beforeMs * 1_000);
      })
      .andThen((old) =>
        client.write(
          'vasgen.purgeQueue',
          async (tx) => {
            if (old.length > 0)
              await tx.commit(PURGE, { keys: old.map(({ idx }) => ({ ...shardOf(at), idx })) });
            return old.length;
          },
          { idempotent: true },
        ),
      ),
});

import { err, ok } from 'neverthrow';
import type pg from 'pg';
import {
  pkHashOf,
  REGISTRY_ROWS_MAX,
  type ClientName,
  type DocumentQueues,
  type FailedElement,
  type QueuedDocument,
  type QueueReader,
} from '@doska/core/vasgen';
import { guard } from '../driver/guard.ts';
import { inTransaction } from '../driver/transaction.ts';
import { PAGE_BYTES_MAX, QUEUE, rowOf, type RowColumns } from './vasgen-rows.ts';

// Rows are looked up in lateral subqueries that are not merged, as in `pg-registry.ts`.
const READ = `select * from (
    select e.idx, e.pk, e.epoch, e.version as e_version, e.timestamp_ms as e_timestamp_ms,
      e.failed_in, e.reason, e.attempts, e.retry_at_ms, r.version, r.timestamp_ms, r.kind, r.status, r.expires_at_ms,
      r.written_at_ms, r.schema, r.lane, r.content_hash, r.body,
      sum(octet_length(coalesce(r.body, ''))) over (order by e.idx) - octet_length(coalesce(r.body, '')) as bytes_before
    from (select * from vasgen.element
      where client = $1 and queue = $2 and shard = $3 and idx > $4 order by idx limit $5) e
    left join lateral (select * from vasgen.registry r
      where r.client = $1 and r.epoch = e.epoch and r.hash = e.hash and r.pk = e.pk offset 0) r on true) q
  where bytes_before < ${PAGE_BYTES_MAX} order by idx`;
const OFFSET =
  'select idx from vasgen.queue_offset where client = $1 and queue = $2 and shard = $3 and reader = $4';
const FIRST = `insert into vasgen.queue_offset (client, queue, shard, reader, idx) values ($1, $2, $3, $4, $5)
  on conflict do nothing`;
const NEXT = `update vasgen.queue_offset set idx = $5
  where client = $1 and queue = $2 and shard = $3 and reader = $4 and idx = $6`;
const ENQUEUE = `select vasgen.enqueue($1, $2::smallint[], $3::integer[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[],
  $8::bigint[], $9::smallint[], $10::text[], $11::integer[], $12::bigint[])`;
const PARK = `insert into vasgen.parked (client, epoch, pk, version, timestamp_ms, failed_in, reason, attempts, retry_at_ms)
  select $1, * from unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::smallint[], $7::text[], $8::integer[], $9::bigint[])
  on conflict (client, epoch, pk) do update set version = excluded.version, timestamp_ms = excluded.timestamp_ms,
    failed_in = excluded.failed_in, reason = excluded.reason, attempts = excluded.attempts, retry_at_ms = excluded.retry_at_ms`;
const PARKED = `select epoch, pk, version, timestamp_ms, failed_in, reason, attempts, retry_at_ms from vasgen.parked
  where client = $1 and (epoch, pk) > ($2, $3) order by epoch, pk limit $4`;
const UNPARK = `delete from vasgen.parked p using unnest($2::bigint[], $3::text[]) a(epoch, pk)
  where p.client = $1 and p.epoch = a.epoch and p.pk = a.pk`;
const PRESENT = `select r.pk, r.hash, r.version, r.timestamp_ms, a.shard
  from unnest($3::bigint[], $4::text[], $5::integer[]) with ordinality a(hash, pk, shard, n)
  cross join lateral (select * from vasgen.registry r
    where r.client = $1 and r.epoch = $2 and r.hash = a.hash and r.pk = a.pk offset 0) r order by a.n`;
const HEADS = `select s.shard, coalesce(h.idx, 0) as idx from vasgen.client c
  cross join generate_series(0, c.shards - 1) s(shard)
  left join vasgen.head h on h.client = c.name and h.queue = $2 and h.shard = s.shard
  where c.name = $1 order by s.shard`;
const OFFSETS = `select coalesce(o.idx, 0) as idx from vasgen.client c
  cross join generate_series(0, c.shards - 1) s(shard)
  left join vasgen.queue_offset o on o.client = c.name and o.queue = $2 and o.shard = s.shard and o.reader = $3
  where c.name = $1 order by s.shard`;
const PURGE = `delete from vasgen.element e using (
    select idx from vasgen.element where client = $1 and queue = $2 and shard = $3 and written_at_ms < $4
      and idx <= (select min(idx) from vasgen.queue_offset where client = $1 and queue = $2 and shard = $3)
    order by idx limit $5) old
  where e.client = $1 and e.queue = $2 and e.shard = $3 and e.idx = old.idx`;

type FailureColumns = {
  readonly failed_in: number | null;
  readonly reason: string;
  readonly attempts: number;
  readonly retry_at_ms: string;
};
type ReadColumns = Omit<RowColumns, 'version'> &
  FailureColumns & {
    readonly idx: string;
    readonly e_version: string;
    readonly e_timestamp_ms: string;
    readonly version: string | null;
  };
const failureOf = ({ failed_in, reason, attempts, retry_at_ms }: FailureColumns) =>
  failed_in === null
    ? undefined
    : { queue: QUEUE.name(failed_in), reason, attempts, retryAtMs: Number(retry_at_ms) };

const queuedOf = (columns: ReadColumns): QueuedDocument => {
  const { idx, pk, epoch, e_version, e_timestamp_ms, version } = columns;
  const element = {
    idx: Number(idx),
    pk,
    epoch: Number(epoch),
    version: Number(e_version),
    timestampMs: Number(e_timestamp_ms),
    failure: failureOf(columns),
  };
  return { element, row: version === null ? undefined : rowOf({ ...columns, version }) };
};

const addFailed = (
  tx: pg.PoolClient,
  client: ClientName,
  shard: number,
  failed: readonly FailedElement[],
): Promise<unknown> =>
  tx.query(ENQUEUE, [
    client,
    failed.map(() => QUEUE.code.failed),
    failed.map(() => shard),
    failed.map(({ pk }) => pk),
    failed.map(({ pk }) => pkHashOf(pk)),
    failed.map(({ epoch }) => epoch),
    failed.map(({ version }) => version),
    failed.map(({ timestampMs }) => timestampMs),
    failed.map(({ failure }) => QUEUE.code[failure.queue]),
    failed.map(({ failure }) => failure.reason),
    failed.map(({ failure }) => failure.attempts),
    failed.map(({ failure }) => failure.retryAtMs),
  ]);
const park = (tx: pg.PoolClient, client: ClientName, parked: readonly FailedElement[]): Promise<unknown> =>
  tx.query(PARK, [
    client,
    parked.map(({ epoch }) => epoch),
    parked.map(({ pk }) => pk),
    parked.map(({ version }) => version),
    parked.map(({ timestampMs }) => timestampMs),
    parked.map(({ failure }) => QUEUE.code[failure.queue]),
    parked.map(({ failure }) => failure.reason),
    parked.map(({ failure }) => failure.attempts),
    parked.map(({ failure }) => failure.retryAtMs),
  ]);

const readerKey = ({ client, queue, shard, group }: QueueReader) => [client, QUEUE.code[queue], shard, group];

export const pgQueues = (pool: pg.Pool): DocumentQueues => {
  const offsetOf = async (db: pg.Pool | pg.PoolClient, reader: QueueReader): Promise<number | undefined> => {
    const { rows } = await db.query<{ idx: string }>(OFFSET, readerKey(reader));
    return rows[0] && Number(rows[0].idx);
  };
  return {
    read: ({ client, queue, shard }, after, limit) =>
      guard('vasgen.readQueue', async () => {
        const { rows } = await pool.query<ReadColumns>({
          name: 'vasgen_read',
          text: READ,
          values: [client, QUEUE.code[queue], shard, after, Math.min(limit, REGISTRY_ROWS_MAX)],
        });
        return rows.map(queuedOf);
      }),
    offset: (reader) => guard('vasgen.offset', () => offsetOf(pool, reader)),
    advance: (reader, { from, to, failed, parked }) =>
      inTransaction(pool, 'vasgen.advance', async (tx) => {
        const values = [...readerKey(reader), to];
        const { rowCount } = await (from === undefined
          ? tx.query(FIRST, values)
          : tx.query(NEXT, [...values, from]));
        if (rowCount !== 1)
          return err({ kind: 'OffsetMoved' as const, expected: from, actual: await offsetOf(tx, reader) });
        if (failed.length > 0) await addFailed(tx, reader.client, reader.shard, failed);
        if (parked.length > 0) await park(tx, reader.client, parked);
        return ok(undefined);
      }),
    parked: (client, { after, limit }) =>
      guard('vasgen.parked', async () => {
        const { rows } = await pool.query<
          FailureColumns & { epoch: string; pk: string; version: string; timestamp_ms: string }
        >(PARKED, [client, after?.epoch ?? -1, after?.pk ?? '', Math.min(limit, REGISTRY_ROWS_MAX)]);
        return rows.map((row) => ({
          pk: row.pk,
          epoch: Number(row.epoch),
          version: Number(row.version),
          timestampMs: Number(row.timestamp_ms),
          failure: failureOf(row)!,
        }));
      }),
    unpark: (client, documents) =>
      guard('vasgen.unpark', async () => {
        await pool.query(UNPARK, [
          client,
          documents.map(({ epoch }) => epoch),
          documents.map(({ pk }) => pk),
        ]);
      }),
    resend: (client, queue, epoch, documents) =>
      inTransaction(pool, 'vasgen.resend', async (tx) => {
        const pks = documents.map(({ pk }) => pk);
        const { rows } = await tx.query<{
          pk: string;
          hash: string;
          version: string;
          timestamp_ms: string;
          shard: number;
        }>(PRESENT, [client, epoch, pks.map(pkHashOf), pks, documents.map(({ shard }) => shard)]);
        if (rows.length > 0)
          await tx.query(ENQUEUE, [
            client,
            rows.map(() => QUEUE.code[queue]),
            rows.map(({ shard }) => shard),
            rows.map(({ pk }) => pk),
            rows.map(({ hash }) => hash),
            rows.map(() => epoch),
            rows.map(({ version }) => version),
            rows.map(({ timestamp_ms }) => timestamp_ms),
            null,
            null,
            null,
            null,
          ]);
        return ok(rows.length);
      }),
    heads: (client, queue) =>
      guard('vasgen.heads', async () => {
        const { rows } = await pool.query<{ idx: string }>(HEADS, [client, QUEUE.code[queue]]);
        return rows.map(({ idx }) => Number(idx));
      }),
    offsets: (client, queue, group) =>
      guard('vasgen.offsets', async () => {
        const { rows } = await pool.query<{ idx: string }>(OFFSETS, [client, QUEUE.code[queue], group]);
        return rows.map(({ idx }) => Number(idx));
      }),
    purge: ({ client, queue, shard }, beforeMs, limit) =>
      guard('vasgen.purgeQueue', async () => {
        const values = [client, QUEUE.code[queue], shard, beforeMs, Math.min(limit, REGISTRY_ROWS_MAX)];
        return (await pool.query(PURGE, values)).rowCount ?? 0;
      }),
  };
};

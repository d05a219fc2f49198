import { err, ok, type Result } from 'neverthrow';
import type pg from 'pg';
import {
  pkHashOf,
  REGISTRY_ROWS_MAX,
  type ClientName,
  type DocumentRegistry,
  type RegistryWrite,
  type SchemaGrowth,
  type SchemaMoved,
  type WriteOutcome,
} from '@doska/core/vasgen';
import { guard } from '../driver/guard.ts';
import { inTransaction } from '../driver/transaction.ts';
import { ACCEPT } from './sql-functions.ts';
import {
  HEAD_COLUMNS,
  headOf,
  KIND,
  LANE,
  PAGE_BYTES_MAX,
  rowOf,
  STATUS,
  type HeadColumns,
  type RowColumns,
} from './vasgen-rows.ts';
import { schemaText } from './schema-text.ts';

const ACCEPT_CALL = `select * from ${ACCEPT.call}`;
const LOCK_CLIENT = 'select pg_advisory_xact_lock_shared(7102, hashtext($1))';
const LOCK_SCHEMA = 'select schema_number from vasgen.epoch where client = $1 and epoch = $2 for update';
const GROW = 'update vasgen.epoch set schema_number = $3, schema = $4 where client = $1 and epoch = $2';
// Lateral, and not merged: a plan that was made while the table was empty would else read all rows of the client.
const FIND = `select ${HEAD_COLUMNS}, r.body from unnest($3::bigint[], $4::text[]) a(hash, pk)
  cross join lateral (select * from vasgen.registry r
    where r.client = $1 and r.epoch = $2 and r.hash = a.hash and r.pk = a.pk offset 0) r`;
const SCAN = `select ${HEAD_COLUMNS}, r.body, r.total from (
    select f.*, sum(octet_length(coalesce(f.body, ''))) over w - octet_length(coalesce(f.body, '')) as bytes_before,
      count(*) over () as total
    from (select * from vasgen.registry
      where client = $1 and epoch = $2 and (hash, pk) > ($3, $4) order by hash, pk limit $5) f
    window w as (order by f.hash, f.pk)) r
  where r.bytes_before < ${PAGE_BYTES_MAX} order by r.hash, r.pk`;
const EXPIRED = `select ${HEAD_COLUMNS} from (
    select * from vasgen.due where client = $1 and shard = $2 and what = 0 and at_ms <= $3
    order by at_ms, epoch, pk limit $4) d
  cross join lateral (select * from vasgen.registry r
    where r.client = d.client and r.epoch = d.epoch and r.hash = d.hash and r.pk = d.pk offset 0) r
  order by d.at_ms, d.epoch, d.pk`;
// The row is locked before its due row: so does `accept`. A row that has changed meanwhile is left alone.
const FORGET = `with due as materialized (
    select epoch, hash, pk, at_ms from vasgen.due where client = $1 and shard = $2 and what = 1 and at_ms < $3
    order by at_ms, epoch, pk limit $4),
  locked as materialized (
    select r.epoch, r.hash, r.pk, due.at_ms from vasgen.registry r join due
      on r.client = $1 and r.epoch = due.epoch and r.hash = due.hash and r.pk = due.pk
    where r.status = 1 and r.written_at_ms = due.at_ms order by r.epoch, r.hash, r.pk for update of r),
  gone as (
    delete from vasgen.registry r using locked l
      where r.client = $1 and r.epoch = l.epoch and r.hash = l.hash and r.pk = l.pk)
  delete from vasgen.due d using locked l
    where d.client = $1 and d.shard = $2 and d.what = 1 and d.at_ms = l.at_ms and d.epoch = l.epoch and d.pk = l.pk`;
const DROP = `with dropped as (
    delete from vasgen.registry where (client, epoch, hash, pk) in (
      select r.client, r.epoch, r.hash, r.pk from vasgen.registry r where r.client = $1 and r.epoch = $2
        and not exists (select from vasgen.epoch e where e.client = $1 and e.epoch = $2)
      order by r.hash, r.pk limit $3)
    returning shard, status, expires_at_ms, written_at_ms, epoch, pk),
  gone as (
    delete from vasgen.due d using dropped x
      where d.client = $1 and d.shard = x.shard and d.what = x.status and d.epoch = x.epoch and d.pk = x.pk
        and d.at_ms = case x.status when 1 then x.written_at_ms else x.expires_at_ms end)
  select count(*)::int as n from dropped`;

const writeRow = ({ row, shard, mayBeFirst, erases }: RegistryWrite, n: number) => ({
  n,
  epoch: row.place.epoch,
  hash: pkHashOf(row.pk),
  pk: row.pk,
  shard,
  version: row.place.version,
  timestamp_ms: row.place.timestampMs,
  kind: KIND.code[row.place.kind],
  status: STATUS.code[row.status],
  expires_at_ms: row.expiresAtMs ?? null,
  written_at_ms: row.writtenAtMs,
  schema: row.schema,
  lane: LANE.code[row.lane],
  content_hash: row.contentHash,
  body: row.body ?? null,
  may_be_first: mayBeFirst ? 1 : 0,
  erases: erases ? 1 : 0,
});
type Refused = Omit<HeadColumns, 'pk' | 'epoch'> & {
  readonly n: number;
  readonly outcome: number;
  readonly raised: boolean;
};
const WRITTEN: WriteOutcome = { kind: 'written' };
const outcomeOf = ({ row }: RegistryWrite, refused: Refused): WriteOutcome => {
  if (refused.outcome === 3) return { kind: 'unknownEpoch' };
  if (refused.outcome === 2) return { kind: 'absent' };
  const stored = headOf({ ...refused, pk: row.pk, epoch: String(row.place.epoch) });
  return { kind: 'kept', stored, raised: refused.raised };
};

const accepted = async (
  db: pg.Pool | pg.PoolClient,
  client: ClientName,
  writes: readonly RegistryWrite[],
): Promise<readonly WriteOutcome[]> => {
  const { rows } = await db.query<Refused>({
    name: 'vasgen_accept',
    text: ACCEPT_CALL,
    values: ACCEPT.argumentsOf({ of_client: client }, { writes: writes.map(writeRow) }),
  });
  const outcomes: WriteOutcome[] = writes.map(() => WRITTEN);
  for (const refused of rows) outcomes[refused.n] = outcomeOf(writes[refused.n]!, refused);
  return outcomes;
};
/** The client first, as in `vasgen.accept`: a change of its epochs waits for this growth. */
const grown = async (
  tx: pg.PoolClient,
  client: ClientName,
  writes: readonly RegistryWrite[],
  { epoch, to }: SchemaGrowth,
): Promise<Result<readonly WriteOutcome[], SchemaMoved>> => {
  await tx.query(LOCK_CLIENT, [client]);
  const { rows } = await tx.query<{ schema_number: string }>(LOCK_SCHEMA, [client, epoch]);
  if (rows[0] && Number(rows[0].schema_number) !== to.number - 1) return err({ kind: 'SchemaMoved', epoch });
  const outcomes = await accepted(tx, client, writes);
  if (outcomes[0]?.kind === 'written') await tx.query(GROW, [client, epoch, to.number, schemaText(to)]);
  return ok(outcomes);
};

export const pgRegistry = (pool: pg.Pool): DocumentRegistry => ({
  accept: (client, writes, growth) =>
    growth
      ? inTransaction(pool, 'vasgen.accept', (tx) => grown(tx, client, writes, growth))
      : guard('vasgen.accept', () => accepted(pool, client, writes)),
  find: (client, epoch, pks) =>
    guard('vasgen.find', async () => {
      const asked = [...new Set(pks.slice(0, REGISTRY_ROWS_MAX))];
      const { rows } = await pool.query<RowColumns>({
        name: 'vasgen_find',
        text: FIND,
        values: [client, epoch, asked.map(pkHashOf), asked],
      });
      return rows.map(rowOf);
    }),
  scan: (client, epoch, { after, limit }) =>
    guard('vasgen.scan', async () => {
      const most = Math.min(limit, REGISTRY_ROWS_MAX);
      const { rows } = await pool.query<RowColumns & { readonly total: string }>({
        name: 'vasgen_scan',
        text: SCAN,
        values: [client, epoch, after?.hash ?? -1, after?.pk ?? '', most],
      });
      const last = rows.at(-1);
      const isEnd = !last || (rows.length === Number(last.total) && rows.length < most);
      return { rows: rows.map(rowOf), next: isEnd ? undefined : { hash: pkHashOf(last.pk), pk: last.pk } };
    }),
  expired: (client, shard, nowMs, limit) =>
    guard('vasgen.expired', async () => {
      const values = [client, shard, nowMs, Math.min(limit, REGISTRY_ROWS_MAX)];
      const { rows } = await pool.query<HeadColumns>({ name: 'vasgen_expired', text: EXPIRED, values });
      return rows.map(headOf);
    }),
  forgetTombstones: (client, shard, beforeMs, limit) =>
    guard('vasgen.forgetTombstones', async () => {
      const values = [client, shard, beforeMs, Math.min(limit, REGISTRY_ROWS_MAX)];
      return (await pool.query({ name: 'vasgen_forget', text: FORGET, values })).rowCount ?? 0;
    }),
  dropRows: (client, epoch, limit) =>
    guard('vasgen.dropRows', async () => {
      const values = [client, epoch, Math.min(limit, REGISTRY_ROWS_MAX)];
      const { rows } = await pool.query<{ n: number }>(DROP, values);
      return rows[0]?.n ?? 0;
    }),
});

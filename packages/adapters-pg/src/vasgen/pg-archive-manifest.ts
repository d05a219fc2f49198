import { err, ok } from 'neverthrow';
import type pg from 'pg';
import type { BlobHash } from '@doska/core/kernel';
import {
  MANIFEST_ROWS_MAX,
  type ArchiveManifest,
  type ClientName,
  type SegmentKey,
  type SegmentRow,
} from '@doska/core/vasgen';
import { guard } from '../driver/guard.ts';
import { inTransaction } from '../driver/transaction.ts';

const COLUMNS =
  'client, log, partition, from_offset, to_offset, from_ms, to_ms, records, bytes, hash, checksum, written_at_ms, scrubbed_at_ms';
const END = `select to_offset + 1 as "end" from vasgen.archive_segment
  where client = $1 and log = $2 and partition = $3 order by from_offset desc limit 1`;
// A transaction takes these locks before it names or condemns bytes, and checks what they guard in later statements.
const LOCK_PARTITION = `select pg_advisory_xact_lock(hashtextextended('vasgen.archive/' || $1 || '/' || $2 || '/' || $3, 0))`;
const LOCK_BYTES = `select pg_advisory_xact_lock(hashtextextended('vasgen.archive/' || h, 0)) from unnest($1::text[]) h order by h`;
const IS_CONDEMNED = 'select from vasgen.archive_condemned where hash = $1';
const IS_NAMED = 'select from vasgen.archive_segment where hash = $1 limit 1';
const ADD = `insert into vasgen.archive_segment (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`;
const FIND = `select ${COLUMNS} from vasgen.archive_segment
  where client = $1 and log = $2 and partition = $3 and from_offset = $4`;
const LIST = `select ${COLUMNS} from vasgen.archive_segment
  where client = $1 and to_ms >= $2 and from_ms <= $3
    and (to_ms, log, partition, from_offset) > ($4::bigint, $5::text, $6::integer, $7::bigint)
  order by to_ms, log, partition, from_offset limit $8`;
const REPLACE = `update vasgen.archive_segment set hash = $6, checksum = $7, bytes = $8, records = $9, scrubbed_at_ms = $10
  where client = $1 and log = $2 and partition = $3 and from_offset = $4 and hash = $5`;
const SCRUBBED = `update vasgen.archive_segment set scrubbed_at_ms = $6
  where client = $1 and log = $2 and partition = $3 and from_offset = $4 and hash = $5`;
const UNSCRUBBED = `select ${COLUMNS} from vasgen.archive_segment where client = $1 and scrubbed_at_ms < $2
  order by log, partition, from_offset limit $3`;
const ERASURES = 'select pk, at_ms from vasgen.erasure where client = $1 and pk > $2 order by pk limit $3';
const FORGET = `delete from vasgen.erasure where (client, pk) in (
  select client, pk from vasgen.erasure where client = $1 and at_ms < $2 order by pk limit $3)`;
const NAMED = 'select distinct hash from vasgen.archive_segment where hash = any($1)';
const CONDEMN = `insert into vasgen.archive_condemned (hash) values ($1)
  on conflict (hash) do update set deleted = false`;
const CONDEMNED = 'select hash from vasgen.archive_condemned where not deleted order by hash limit $1';
const DELETED = 'update vasgen.archive_condemned set deleted = true where hash = any($1) and not deleted';

type SegmentColumns = {
  readonly client: ClientName;
  readonly log: string;
  readonly partition: number;
  readonly from_offset: string;
  readonly to_offset: string;
  readonly from_ms: string;
  readonly to_ms: string;
  readonly records: number;
  readonly bytes: string;
  readonly hash: BlobHash;
  readonly checksum: string;
  readonly written_at_ms: string;
  readonly scrubbed_at_ms: string;
};
const rowOf = (columns: SegmentColumns): SegmentRow => ({
  client: columns.client,
  log: columns.log,
  partition: columns.partition,
  fromOffset: Number(columns.from_offset),
  toOffset: Number(columns.to_offset),
  fromMs: Number(columns.from_ms),
  toMs: Number(columns.to_ms),
  records: columns.records,
  bytes: Number(columns.bytes),
  hash: columns.hash,
  checksum: columns.checksum,
  writtenAtMs: Number(columns.written_at_ms),
  scrubbedAtMs: Number(columns.scrubbed_at_ms),
});
const valuesOf = (row: SegmentRow): readonly (string | number)[] => [
  row.client,
  row.log,
  row.partition,
  row.fromOffset,
  row.toOffset,
  row.fromMs,
  row.toMs,
  row.records,
  row.bytes,
  row.hash,
  row.checksum,
  row.writtenAtMs,
  row.scrubbedAtMs,
];
const keyOf = ({ client, log, partition, fromOffset }: SegmentKey): readonly (string | number)[] => [
  client,
  log,
  partition,
  fromOffset,
];
const refused = { kind: 'SegmentRefused' as const };
const most = (limit: number): number => Math.min(limit, MANIFEST_ROWS_MAX);

type Queries = Pick<pg.Pool, 'query'>;
const exists = async (db: Queries, text: string, values: readonly unknown[]): Promise<boolean> =>
  ((await db.query(text, [...values])).rowCount ?? 0) > 0;
const endOf = async (db: Queries, client: string, log: string, partition: number) => {
  const { rows } = await db.query<{ end: string }>(END, [client, log, partition]);
  return rows[0] && Number(rows[0].end);
};

export const pgArchiveManifest = (pool: pg.Pool): ArchiveManifest => ({
  end: (client, log, partition) => guard('vasgen.archive.end', () => endOf(pool, client, log, partition)),
  add: (row) =>
    inTransaction(pool, 'vasgen.archive.add', async (tx) => {
      const { client, log, partition } = row;
      await tx.query(LOCK_PARTITION, [client, log, String(partition)]);
      await tx.query(LOCK_BYTES, [[row.hash]]);
      if (row.fromOffset < ((await endOf(tx, client, log, partition)) ?? 0)) return err(refused);
      if (await exists(tx, IS_CONDEMNED, [row.hash])) return err(refused);
      await tx.query(ADD, [...valuesOf(row)]);
      return ok(undefined);
    }),
  find: (key) =>
    guard('vasgen.archive.find', async () => {
      const { rows } = await pool.query<SegmentColumns>(FIND, [...keyOf(key)]);
      return rows[0] && rowOf(rows[0]);
    }),
  list: (client, { fromMs, toMs, after, limit }) =>
    guard('vasgen.archive.list', async () => {
      const { rows } = await pool.query<SegmentColumns>(LIST, [
        client,
        fromMs,
        toMs,
        after?.toMs ?? -1,
        after?.log ?? '',
        after?.partition ?? -1,
        after?.fromOffset ?? -1,
        most(limit),
      ]);
      return rows.map(rowOf);
    }),
  replace: (key, from, to, scrubbedAtMs) =>
    inTransaction(pool, 'vasgen.archive.replace', async (tx) => {
      await tx.query(LOCK_BYTES, [[from, to.hash]]);
      if (await exists(tx, IS_CONDEMNED, [to.hash])) return err(refused);
      const values = [...keyOf(key), from, to.hash, to.checksum, to.bytes, to.records, scrubbedAtMs];
      if (!(await exists(tx, REPLACE, values))) return err(refused);
      await tx.query(CONDEMN, [from]);
      return ok(undefined);
    }),
  scrubbed: (key, hash, scrubbedAtMs) =>
    guard('vasgen.archive.scrubbed', async () => {
      await pool.query(SCRUBBED, [...keyOf(key), hash, scrubbedAtMs]);
    }),
  unscrubbed: (client, beforeMs, limit) =>
    guard('vasgen.archive.unscrubbed', async () => {
      const { rows } = await pool.query<SegmentColumns>(UNSCRUBBED, [client, beforeMs, most(limit)]);
      return rows.map(rowOf);
    }),
  erasures: (client, { after = '', limit }) =>
    guard('vasgen.archive.erasures', async () => {
      const { rows } = await pool.query<{ pk: string; at_ms: string }>(ERASURES, [
        client,
        after,
        most(limit),
      ]);
      return rows.map(({ pk, at_ms }) => ({ pk, atMs: Number(at_ms) }));
    }),
  forgetErasures: (client, beforeMs, limit) =>
    guard('vasgen.archive.forgetErasures', async () => {
      return (await pool.query(FORGET, [client, beforeMs, most(limit)])).rowCount ?? 0;
    }),
  named: (hashes) =>
    guard('vasgen.archive.named', async () => {
      const { rows } = await pool.query<{ hash: BlobHash }>(NAMED, [hashes.slice(0, MANIFEST_ROWS_MAX)]);
      return rows.map(({ hash }) => hash);
    }),
  condemn: (hash) =>
    inTransaction(pool, 'vasgen.archive.condemn', async (tx) => {
      await tx.query(LOCK_BYTES, [[hash]]);
      if (await exists(tx, IS_NAMED, [hash])) return ok(false);
      await tx.query(CONDEMN, [hash]);
      return ok(true);
    }),
  condemned: (limit) =>
    guard('vasgen.archive.condemned', async () => {
      const { rows } = await pool.query<{ hash: BlobHash }>(CONDEMNED, [most(limit)]);
      return rows.map(({ hash }) => hash);
    }),
  deleted: (hashes) =>
    guard('vasgen.archive.deleted', async () => {
      await pool.query(DELETED, [hashes.slice(0, MANIFEST_ROWS_MAX)]);
    }),
});

import { err, ok } from 'neverthrow';
import type pg from 'pg';
import { type OfferId, type SellerId } from '@doska/core/gost';
import {
  PRESETS,
  ROWS_MAX,
  TIMERS,
  TOTALS,
  type ArchiveMove,
  type ArchivePointer,
  type OfferArchive,
} from '@doska/core/gost/storage';
import type { BlobHash } from '@doska/core/kernel';
import { guard } from '../driver/guard.ts';
import type { RowsOf } from '../driver/row-set.ts';
import { ARCHIVE_MOVE, ARCHIVE_REWRITE } from './sql-functions.ts';

const POINTER = 'offer_id, seller, version, segment, at_offset, length, archived_at_us';
const FIND = `select ${POINTER} from gost.archive where offer_id = any($1)`;
const OF_SELLER = `select ${POINTER} from gost.archive where seller = $1 and offer_id > $2 order by offer_id limit $3`;
const OF_SEGMENT = `select ${POINTER} from gost.archive where segment = $1`;
const NAMED = `select s.segment from unnest($1::bytea[]) s(segment)
  where exists (select from gost.archive a where a.segment = s.segment)`;
const MOVE = `select ${ARCHIVE_MOVE.call} as answer`;
const REWRITE = `select ${ARCHIVE_REWRITE.call} as answer`;
const CONDEMN = 'select gost.archive_condemn($1) as answer';
const CONDEMNED = 'select segment from gost.archive_condemned where not deleted order by segment limit $1';
const DELETED = 'update gost.archive_condemned set deleted = true where segment = any($1) and not deleted';

type PointerRow = {
  readonly offer_id: OfferId;
  readonly seller: SellerId;
  readonly version: string;
  readonly segment: Buffer;
  readonly at_offset: number;
  readonly length: number;
  readonly archived_at_us: string;
};
const bytesOf = (segment: BlobHash): Buffer => Buffer.from(segment, 'hex');
const hashOf = (bytes: Buffer): BlobHash => bytes.toString('hex') as BlobHash;
const pointerOf = (row: PointerRow): ArchivePointer => ({
  offerId: row.offer_id,
  seller: row.seller,
  version: Number(row.version),
  segment: hashOf(row.segment),
  offset: row.at_offset,
  length: row.length,
  archivedAtUs: Number(row.archived_at_us),
});

const moveRows = (moves: readonly ArchiveMove[]): RowsOf<typeof ARCHIVE_MOVE.rows> => ({
  offers: moves.map(({ pointer }) => ({
    id: pointer.offerId,
    expected_version: pointer.version,
    seller: pointer.seller,
    segment_offset: pointer.offset,
    segment_length: pointer.length,
  })),
  lines: moves.flatMap(({ presets }) =>
    presets.map(({ seller, preset, createdAtUs, offerId }) => ({
      seller,
      preset: PRESETS[preset],
      created_at_us: createdAtUs,
      offer_id: offerId,
    })),
  ),
  totals: moves.flatMap(({ pointer, totals, stripe }) =>
    totals.map(({ total, currency, by }) => ({
      seller: pointer.seller,
      total: TOTALS[total],
      currency,
      seq_no: stripe,
      change: by,
    })),
  ),
  timers: moves.flatMap(({ timer }) =>
    timer
      ? [{ what: TIMERS[timer.what], shard: timer.shard, at_us: timer.atUs, offer_id: timer.offerId }]
      : [],
  ),
});

export const pgOfferArchive = (pool: pg.Pool): OfferArchive => {
  const pointers = async (text: string, values: unknown[]): Promise<readonly ArchivePointer[]> =>
    (await pool.query<PointerRow>(text, values)).rows.map(pointerOf);
  const answer = async <T>(text: string, values: unknown[]): Promise<T> =>
    (await pool.query<{ answer: T }>(text, values)).rows[0]!.answer;
  return {
    find: (ids) => guard('gost.archive.find', () => pointers(FIND, [ids.slice(0, ROWS_MAX)])),
    move: (moves) =>
      guard('gost.archive.move', async () => {
        const [first] = moves;
        if (!first) return [];
        const { segment, archivedAtUs } = first.pointer;
        const values = { to_segment: bytesOf(segment), moved_at_us: archivedAtUs };
        return answer<OfferId[]>(MOVE, ARCHIVE_MOVE.argumentsOf(values, moveRows(moves)));
      }),
    ofSeller: (seller, { after = '', limit }) =>
      guard('gost.archive.ofSeller', () => pointers(OF_SELLER, [seller, after, Math.min(limit, ROWS_MAX)])),
    ofSegment: (segment) => guard('gost.archive.ofSegment', () => pointers(OF_SEGMENT, [bytesOf(segment)])),
    named: (segments) =>
      guard('gost.archive.named', async () => {
        const { rows } = await pool.query<{ segment: Buffer }>(NAMED, [
          segments.slice(0, ROWS_MAX).map(bytesOf),
        ]);
        return rows.map(({ segment }) => hashOf(segment));
      }),
    rewrite: ({ segment, pointers: anew, outbox }) =>
      guard('gost.archive.rewrite', () =>
        answer<boolean>(
          REWRITE,
          ARCHIVE_REWRITE.argumentsOf(
            { old_segment: bytesOf(segment), new_segment: bytesOf(anew[0]?.segment ?? segment) },
            {
              offers: anew.map(({ offerId, version, offset, length }) => ({
                id: offerId,
                version,
                segment_offset: offset,
                segment_length: length,
              })),
              queue: outbox.map(({ shard, atUs, topic, key, id, value }) => ({
                shard,
                at_us: atUs,
                topic,
                key,
                id,
                value,
              })),
            },
          ),
        ),
      ).andThen((done) => (done ? ok(undefined) : err({ kind: 'Conflict' as const }))),
    condemn: (segment) => guard('gost.archive.condemn', () => answer<boolean>(CONDEMN, [bytesOf(segment)])),
    condemned: (limit) =>
      guard('gost.archive.condemned', async () => {
        const { rows } = await pool.query<{ segment: Buffer }>(CONDEMNED, [Math.min(limit, ROWS_MAX)]);
        return rows.map(({ segment }) => hashOf(segment));
      }),
    deleted: (segments) =>
      guard('gost.archive.deleted', async () => {
        await pool.query(DELETED, [segments.slice(0, ROWS_MAX).map(bytesOf)]);
      }),
  };
};

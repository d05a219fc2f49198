import { err, ok } from 'neverthrow';
import type pg from 'pg';
import {
  PRESETS,
  ROWS_MAX,
  TIMERS,
  TOTALS,
  type ArchivePointer,
  type OfferArchive,
  type OfferId,
  type SellerId,
} from '@doska/core/gost';
import type { BlobHash } from '@doska/core/kernel';
import { guard } from '../driver/guard.ts';

const POINTER = 'offer_id, seller, version, segment, at_offset, length, archived_at_us';
const FIND = `select ${POINTER} from gost.archive where offer_id = any($1)`;
const OF_SELLER = `select ${POINTER} from gost.archive where seller = $1 and offer_id > $2 order by offer_id limit $3`;
const OF_SEGMENT = `select ${POINTER} from gost.archive where segment = $1`;
const NAMED = `select s.segment from unnest($1::bytea[]) s(segment)
  where exists (select from gost.archive a where a.segment = s.segment)`;
const MOVE_COLUMNS = 20;
const REWRITE_COLUMNS = 12;
const call = (name: string, columns: number): string =>
  `select gost.${name}(${Array.from({ length: columns }, (_, i) => `$${i + 1}`).join(', ')}) as answer`;
const MOVE = call('archive_move', MOVE_COLUMNS);
const REWRITE = call('archive_rewrite', REWRITE_COLUMNS);
const CONDEMN = call('archive_condemn', 1);
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
        const to = moves.map(({ pointer }) => pointer);
        const lines = moves.flatMap(({ presets }) => presets);
        const totals = moves.flatMap(({ pointer, totals: some, stripe }) =>
          some.map((one) => ({ ...one, seller: pointer.seller, stripe })),
        );
        const timers = moves.flatMap(({ timer }) => timer ?? []);
        return answer<OfferId[]>(MOVE, [
          ...[bytesOf(segment), archivedAtUs, to.map((one) => one.offerId), to.map((one) => one.version)],
          ...[to.map((one) => one.seller), to.map((one) => one.offset), to.map((one) => one.length)],
          ...[lines.map((one) => one.seller), lines.map(({ preset }) => PRESETS[preset])],
          ...[lines.map((one) => one.createdAtUs), lines.map((one) => one.offerId)],
          ...[totals.map((one) => one.seller), totals.map(({ total }) => TOTALS[total])],
          ...[
            totals.map((one) => one.currency),
            totals.map((one) => one.stripe),
            totals.map((one) => one.by),
          ],
          ...[timers.map(({ what }) => TIMERS[what]), timers.map((one) => one.shard)],
          ...[timers.map((one) => one.atUs), timers.map((one) => one.offerId)],
        ]);
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
        answer<boolean>(REWRITE, [
          ...[bytesOf(segment), bytesOf(anew[0]?.segment ?? segment), anew.map((one) => one.offerId)],
          ...[anew.map((one) => one.version), anew.map((one) => one.offset), anew.map((one) => one.length)],
          ...[outbox.map((one) => one.shard), outbox.map((one) => one.atUs), outbox.map((one) => one.topic)],
          ...[outbox.map((one) => one.key), outbox.map((one) => one.id), outbox.map((one) => one.value)],
        ]),
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

import { err, ok, type Result } from 'neverthrow';
import type { BlobHash } from '../../kernel/index.ts';
import { direct, transact, type Io, type MemoryDatabase, type MemoryTx } from '../../kernel/testing.ts';
import type { ArchiveMove, ArchivePointer } from '../archive/archiving.ts';
import type { Conflict } from '../commit/commit-unit.ts';
import type { OfferId } from '../offer/offer-id.ts';
import { SEGMENT_OFFERS_MAX, type OfferArchive } from '../archive/offer-archive.port.ts';
import { idHashOf } from '../scan/offer-scan.port.ts';
import { ROWS_MAX } from '../commit/offer-store.port.ts';
import { movePreset, moveTotals } from './memory-commit.ts';
import { after, keyOf, type HeadRow } from './memory-rows.ts';

const segmentKey = (segment: BlobHash, offerId: OfferId): string => `${segment}/${offerId}`;

const point = (tx: MemoryTx, pointer: ArchivePointer): void => {
  const { offerId, seller, segment } = pointer;
  const before = tx.get<ArchivePointer>('gost_archive', offerId);
  if (before) tx.delete('gost_archive_segment', segmentKey(before.segment, offerId));
  tx.put('gost_archive', offerId, pointer);
  tx.put('gost_archive_segment', segmentKey(segment, offerId), { offerId });
  tx.put('gost_archive_seller', keyOf.ofSeller(seller, offerId), { offerId });
};
const condemn = (tx: MemoryTx, segment: BlobHash): void => {
  tx.put('gost_archive_condemned', segment, { segment });
  tx.put('gost_archive_undeleted', segment, { segment });
};
const isCondemned = (tx: MemoryTx, segment: BlobHash): boolean =>
  tx.get('gost_archive_condemned', segment) !== undefined;

const stands = (tx: MemoryTx, { pointer: { offerId, version, segment } }: ArchiveMove): boolean =>
  !isCondemned(tx, segment) && tx.get<HeadRow>('gost_offer', keyOf.offer(offerId))?.version === version;
const moveOut = (tx: MemoryTx, move: ArchiveMove): void => {
  const { offerId, seller, version } = move.pointer;
  for (const [key] of tx.scan('gost_offer', after(offerId))) tx.delete('gost_offer', key);
  // Versions count without gaps: every entry is known without a look.
  for (let n = 1; n <= version; n++) tx.delete('gost_history', keyOf.history(offerId, n));
  tx.delete('gost_offer_hash', keyOf.hash({ hash: idHashOf(offerId), offerId }));
  tx.delete('gost_offer_seller', keyOf.ofSeller(seller, offerId));
  move.presets.forEach((line) => movePreset(tx, line));
  moveTotals(tx, seller, move);
  if (move.timer) tx.delete('gost_timer', keyOf.timer(move.timer));
  point(tx, move.pointer);
};

export const inMemoryOfferArchive = (db: MemoryDatabase, io: Io = direct): OfferArchive => {
  const pointersOf = (tx: MemoryTx, ids: readonly OfferId[]): readonly ArchivePointer[] =>
    ids.flatMap((id) => tx.get<ArchivePointer>('gost_archive', id) ?? []);
  const idsIn = (tx: MemoryTx, segment: BlobHash): readonly OfferId[] =>
    tx
      .scan<{
        readonly offerId: OfferId;
      }>('gost_archive_segment', { ...after(segment), limit: SEGMENT_OFFERS_MAX })
      .map(([, { offerId }]) => offerId);
  return {
    find: (ids) =>
      transact(db, io, 'archive.find', ids, (tx) => ok(pointersOf(tx, [...new Set(ids)].slice(0, ROWS_MAX)))),
    move: (moves) =>
      transact(
        db,
        io,
        'archive.move',
        moves.map(({ pointer }) => [pointer.offerId, pointer.version]),
        (tx) => {
          const refused = moves.filter((move) => !stands(tx, move));
          if (refused.length === 0) moves.forEach((move) => moveOut(tx, move));
          return ok(refused.map(({ pointer }) => pointer.offerId));
        },
      ),
    ofSeller: (seller, { after: last, limit }) =>
      transact(db, io, 'archive.ofSeller', { seller, last }, (tx) => {
        const found = tx.scan<{ readonly offerId: OfferId }>('gost_archive_seller', {
          ...after(keyOf.totals(seller)),
          ...(last ? { after: keyOf.ofSeller(seller, last) } : {}),
          limit: Math.min(limit, ROWS_MAX),
        });
        return ok(
          pointersOf(
            tx,
            found.map(([, { offerId }]) => offerId),
          ),
        );
      }),
    ofSegment: (segment) =>
      transact(db, io, 'archive.ofSegment', segment, (tx) => ok(pointersOf(tx, idsIn(tx, segment)))),
    named: (segments) =>
      transact(db, io, 'archive.named', segments, (tx) =>
        ok(
          segments
            .slice(0, ROWS_MAX)
            .filter((one) => tx.scan('gost_archive_segment', { ...after(one), limit: 1 }).length > 0),
        ),
      ),
    rewrite: ({ segment, pointers, outbox }) =>
      transact(db, io, 'archive.rewrite', segment, (tx): Result<void, Conflict> => {
        const asked = pointers.map(({ offerId }) => offerId).sort();
        const same = [...idsIn(tx, segment)].sort().join() === asked.join();
        if (!same || pointers.some((one) => isCondemned(tx, one.segment))) return err({ kind: 'Conflict' });
        pointers.forEach((pointer) => point(tx, pointer));
        for (const record of outbox) tx.put('gost_queue', keyOf.queue(record), record);
        condemn(tx, segment);
        return ok(undefined);
      }),
    condemn: (segment) =>
      transact(db, io, 'archive.condemn', segment, (tx) => {
        if (idsIn(tx, segment).length > 0) return ok(false);
        condemn(tx, segment);
        return ok(true);
      }),
    condemned: (limit) =>
      transact(db, io, 'archive.condemned', limit, (tx) =>
        ok(
          tx
            .scan<{
              readonly segment: BlobHash;
            }>('gost_archive_undeleted', { limit: Math.min(limit, ROWS_MAX) })
            .map(([, { segment }]) => segment),
        ),
      ),
    deleted: (segments) =>
      transact(db, io, 'archive.deleted', segments, (tx) => {
        for (const segment of segments.slice(0, ROWS_MAX)) tx.delete('gost_archive_undeleted', segment);
        return ok(undefined);
      }),
  };
};

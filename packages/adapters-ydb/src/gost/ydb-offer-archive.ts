import { err, ok } from 'neverthrow';
import { type OfferId, type SellerId } from '@doska/core/gost';
import {
  idHashOf,
  PRESETS,
  ROWS_MAX,
  type ArchiveMove,
  type ArchivePointer,
  type OfferArchive,
  type OutboxRecord,
} from '@doska/core/gost/storage';
import type { BlobHash } from '@doska/core/kernel';
import type { YdbClient } from '../driver/client.ts';
import type { RowOf } from '../driver/column-type.ts';
import type { YdbTx } from '../driver/transaction.ts';
import type { archive } from '../schema/archive-tables.ts';
import {
  ARCHIVED_IN_SEGMENT,
  ARCHIVED_OF_SELLER,
  CONDEMN,
  DELETED,
  IS_CONDEMNED,
  KINDS_OF,
  MOVE_IN,
  MOVE_OUT,
  NAMED,
  POINTERS,
  REWRITE_OUT,
  UNDELETED,
} from './archive-queries.ts';
import { READ_OFFERS } from './commit-queries.ts';
import { distinct, inParts, keyOf, totalKeys, type CountRow } from './commit-state.ts';
import { countRows, lineRow, totalRows } from './offer-writes.ts';

type PointerRow = RowOf<typeof archive.columns>;
const bytesOf = (segment: BlobHash): Uint8Array => Buffer.from(segment, 'hex');
const hashOf = (bytes: Uint8Array): BlobHash => Buffer.from(bytes).toString('hex') as BlobHash;
const pointerOf = (row: PointerRow): ArchivePointer => ({
  offerId: row.offer_id as OfferId,
  seller: row.seller as SellerId,
  version: row.version,
  segment: hashOf(row.segment),
  offset: row.at_offset,
  length: row.length,
  archivedAtUs: row.archived_at_us,
});
const pointerRow = (pointer: ArchivePointer): PointerRow => ({
  offer_id: pointer.offerId,
  seller: pointer.seller,
  version: pointer.version,
  segment: bytesOf(pointer.segment),
  at_offset: pointer.offset,
  length: pointer.length,
  archived_at_us: pointer.archivedAtUs,
});
const queueRow = ({ shard, atUs, topic, key, id, value }: OutboxRecord) => ({
  shard,
  at_us: atUs,
  topic,
  record_key: key,
  record_id: id,
  body: value,
});
/** Each offer has a head and three bodies, and an answer has at most 1000 rows. */
const KINDS_AT_ONCE = 200;

const pointersIn = async (tx: YdbTx, ids: readonly string[]): Promise<readonly ArchivePointer[]> => {
  if (ids.length === 0) return [];
  const [found] = await tx.commit(POINTERS, { ids: [...new Set(ids)].sort() });
  return found.map(pointerOf);
};
const isCondemned = async (tx: YdbTx, segment: BlobHash): Promise<boolean> =>
  (await tx.run(IS_CONDEMNED, { segment: bytesOf(segment) }))[0].length > 0;

type State = {
  readonly versions: ReadonlyMap<string, number>;
  readonly counts: ReadonlyMap<string, CountRow>;
  readonly totals: ReadonlyMap<string, number>;
};
const totalsMoved = (moves: readonly ArchiveMove[]) =>
  moves.map(({ pointer, totals, stripe }) => ({ offer: { seller: pointer.seller }, totals, stripe }));
const readState = async (tx: YdbTx, moves: readonly ArchiveMove[]): Promise<State> => {
  const versions = new Map<string, number>();
  const counts = new Map<string, CountRow>();
  const totals = new Map<string, number>();
  const keys = {
    ids: moves.map(({ pointer }): string => pointer.offerId).sort(),
    made: [],
    lists: distinct(
      moves.flatMap(({ presets }) =>
        presets.map(({ seller, preset }) => ({ seller, preset: PRESETS[preset] })),
      ),
    ),
    totals: distinct(totalsMoved(moves).flatMap(totalKeys)),
  };
  for (const part of inParts(keys)) {
    const [heads, , lists, sums] = await tx.run(READ_OFFERS, part);
    for (const { id, version } of heads) versions.set(id, version ?? 0);
    for (const row of lists) counts.set(keyOf(row.seller, row.preset), row);
    for (const row of sums) totals.set(keyOf(row.seller, row.total, row.currency, row.seq_no), row.value);
  }
  return { versions, counts, totals };
};
/** Versions have no gaps, so the keys of all history entries are known without a read. */
const historyKeys = ({ pointer: { offerId, version } }: ArchiveMove) =>
  Array.from({ length: version }, (_, n) => ({ offer_id: offerId, version: n + 1 }));
const moveOut = async (tx: YdbTx, moves: readonly ArchiveMove[], state: State): Promise<void> => {
  const ids = moves.map(({ pointer }): string => pointer.offerId).sort();
  const parts: { readonly id: string; readonly kind: number }[] = [];
  for (let from = 0; from < ids.length; from += KINDS_AT_ONCE)
    parts.push(...(await tx.run(KINDS_OF, { ids: ids.slice(from, from + KINDS_AT_ONCE) }))[0]);
  const lines = moves.flatMap(({ presets }) => presets);
  await tx.run(MOVE_OUT, {
    parts,
    hashes: moves.map(({ pointer: { offerId } }) => ({ hash: idHashOf(offerId), offer_id: offerId })),
    sellers: moves.map(({ pointer: { seller, offerId } }) => ({ seller, offer_id: offerId })),
    history: moves.flatMap(historyKeys),
    lines: lines.map(lineRow),
    counts: countRows(lines, state),
    totals: totalRows(totalsMoved(moves), state),
    due: moves.flatMap(({ timer }) =>
      timer ? [{ shard: timer.shard, retired_at_us: timer.atUs, offer_id: timer.offerId }] : [],
    ),
  });
};

export const ydbOfferArchive = (client: YdbClient): OfferArchive => ({
  find: (ids) => client.read('gost.archive.find', (tx) => pointersIn(tx, ids.slice(0, ROWS_MAX))),
  move: (moves) =>
    client.write('gost.archive.move', async (tx) => {
      const [first] = moves;
      if (!first) return [];
      const { segment } = first.pointer;
      if (await isCondemned(tx, segment)) return moves.map(({ pointer }) => pointer.offerId);
      const state = await readState(tx, moves);
      const refused = moves.filter(({ pointer }) => state.versions.get(pointer.offerId) !== pointer.version);
      if (refused.length > 0) return refused.map(({ pointer }) => pointer.offerId);
      await moveOut(tx, moves, state);
      const pointers = moves.map(({ pointer }) => pointerRow(pointer));
      await tx.commit(MOVE_IN, { pointers, segment: bytesOf(segment) });
      return [];
    }),
  ofSeller: (seller, { after = '', limit }) =>
    client.read('gost.archive.ofSeller', async (tx) => {
      const asked = { seller, after, limit: Math.min(limit, ROWS_MAX) };
      const [found] = await tx.run(ARCHIVED_OF_SELLER, asked);
      const pointers = await pointersIn(
        tx,
        found.map(({ offer_id }) => offer_id),
      );
      return [...pointers].sort((a, b) => (a.offerId < b.offerId ? -1 : 1));
    }),
  ofSegment: (segment) =>
    client.read('gost.archive.ofSegment', async (tx) => {
      const [found] = await tx.run(ARCHIVED_IN_SEGMENT, { segment: bytesOf(segment) });
      return pointersIn(
        tx,
        found.map(({ offer_id }) => offer_id),
      );
    }),
  named: (segments) =>
    client.read('gost.archive.named', async (tx) => {
      if (segments.length === 0) return [];
      const [found] = await tx.commit(NAMED, { segments: segments.slice(0, ROWS_MAX).map(bytesOf) });
      return found.map(({ segment }) => hashOf(segment));
    }),
  rewrite: ({ segment, pointers, outbox }) =>
    client
      .write('gost.archive.rewrite', async (tx) => {
        const anew = pointers[0]?.segment ?? segment;
        if (await isCondemned(tx, anew)) return false;
        const [found] = await tx.run(ARCHIVED_IN_SEGMENT, { segment: bytesOf(segment) });
        const asked = pointers.map(({ offerId }): string => offerId).sort();
        if (found.map(({ offer_id }) => offer_id).join() !== asked.join()) return false;
        await tx.run(REWRITE_OUT, {
          gone: asked.map((offer_id) => ({ segment: bytesOf(segment), offer_id })),
          segment: bytesOf(segment),
          queue: outbox.map(queueRow),
        });
        await tx.commit(MOVE_IN, { pointers: pointers.map(pointerRow), segment: bytesOf(anew) });
        return true;
      })
      .andThen((done) => (done ? ok(undefined) : err({ kind: 'Conflict' as const }))),
  condemn: (segment) =>
    client.write('gost.archive.condemn', async (tx) => {
      const [named] = await tx.run(NAMED, { segments: [bytesOf(segment)] });
      if (named.length > 0) return false;
      await tx.commit(CONDEMN, { segment: bytesOf(segment) });
      return true;
    }),
  condemned: (limit) =>
    client.read('gost.archive.condemned', async (tx) => {
      const [found] = await tx.commit(UNDELETED, { limit: Math.min(limit, ROWS_MAX) });
      return found.map(({ segment }) => hashOf(segment));
    }),
  deleted: (segments) =>
    client.write(
      'gost.archive.deleted',
      async (tx) => {
        const rows = segments.slice(0, ROWS_MAX).map((segment) => ({ segment: bytesOf(segment) }));
        if (rows.length > 0) await tx.commit(DELETED, { segments: rows });
      },
      { idempotent: true },
    ),
});

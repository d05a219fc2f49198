import { err, ok, type Result } from 'neverthrow';
import type { MemoryTx } from '../../kernel/testing.ts';
import type { CommitUnit, Conflict, DraftMove } from '../commit/commit-unit.ts';
import type { FeedMove } from '../autoload/feed.ts';
import { offerStatus, type SellerId } from '../offer/offer.ts';
import type { OfferChange, PresetMove } from '../offer/offer-change.ts';
import type { GostCodecs } from '../gost-codecs.port.ts';
import { idHashOf } from '../scan/offer-scan.port.ts';
import { queuedRecords, writtenParts } from '../commit/stored-offer.store.ts';
import {
  keyOf,
  type CountRow,
  type FeedRowRow,
  type HeadRow,
  type ProgressRow,
  type SlotRow,
  type TotalRow,
} from './memory-rows.ts';

/** The line and its list's count, as one. What a running repair has passed already moves its partial count too. */
export const movePreset = (tx: MemoryTx, move: PresetMove): void => {
  const { seller, preset, createdAtUs, offerId, by } = move;
  const key = keyOf.preset(seller, preset, move);
  if (by > 0) tx.put('gost_preset', key, { seller, preset, createdAtUs, offerId });
  else tx.delete('gost_preset', key);
  const list = keyOf.list(seller, preset);
  const row = tx.get<CountRow>('gost_preset_count', list);
  const { counter, cursor, partial } = row ?? { counter: 0, cursor: undefined, partial: 0 };
  const passed = cursor !== undefined && key <= cursor;
  const next: CountRow = {
    seller,
    preset,
    counter: counter + by,
    cursor,
    partial: partial + (passed ? by : 0),
  };
  tx.put('gost_preset_count', list, next);
};

export const moveTotals = (
  tx: MemoryTx,
  seller: SellerId,
  { totals, stripe }: Pick<OfferChange, 'totals' | 'stripe'>,
): void => {
  for (const { total, currency, by } of totals) {
    const key = keyOf.total(seller, total, currency, stripe);
    const value = (tx.get<TotalRow>('gost_total', key)?.value ?? 0) + by;
    tx.put('gost_total', key, { total, currency, value });
  }
};

const applyChange = (tx: MemoryTx, change: OfferChange, codecs: GostCodecs): void => {
  const { offer, timerAdded, timerRemoved, history } = change;
  const [top, ...bodies] = writtenParts(change, codecs);
  const head: HeadRow = { version: offer.version, status: offerStatus(offer), body: top.body };
  tx.put('gost_offer', keyOf.offer(offer.id), head);
  for (const { kind, body } of bodies) tx.put('gost_offer', keyOf.offer(offer.id, kind), { body });
  if (change.expectedVersion === 0) {
    const place = { hash: idHashOf(offer.id), offerId: offer.id };
    tx.put('gost_offer_hash', keyOf.hash(place), place);
    tx.put('gost_offer_seller', keyOf.ofSeller(offer.seller, offer.id), { offerId: offer.id });
  }
  if (history.sale) {
    const { currency = '', minorUnits = 0 } = history.sale.earned ?? {};
    tx.put('gost_sale', keyOf.sale(offer.seller, offer.id), { currency, minorUnits });
  }
  change.presets.forEach((move) => movePreset(tx, move));
  moveTotals(tx, offer.seller, change);
  for (const record of queuedRecords(change, codecs)) tx.put('gost_queue', keyOf.queue(record), record);
  if (timerRemoved) tx.delete('gost_timer', keyOf.timer(timerRemoved));
  if (timerAdded) tx.put('gost_timer', keyOf.timer(timerAdded), timerAdded);
  tx.put('gost_history', keyOf.history(offer.id, offer.version), { body: codecs.history.encode(history) });
};
const applyDrafts = (tx: MemoryTx, { slots, published }: DraftMove, codecs: GostCodecs): void => {
  for (const { owner, expectedVersion, draft } of slots) {
    const version = expectedVersion + 1;
    const touchedAtUs = draft?.lastUpdateUs ?? 0;
    const row: SlotRow = { owner, version, touchedAtUs, body: draft && codecs.draft.encode(draft) };
    tx.put('gost_current_draft', keyOf.slot(owner), row);
  }
  if (published)
    tx.put('gost_published_draft', published.draftId, { offerId: published.offerId, atUs: published.atUs });
};

const applyFeed = (tx: MemoryTx, feed: FeedMove, codecs: GostCodecs): void => {
  const progress: ProgressRow = {
    version: feed.expectedVersion + 1,
    body: codecs.feedProgress.encode(feed.progress),
  };
  tx.put('gost_feed_progress', keyOf.feed(feed), progress);
  for (const externalId of feed.dropped) tx.delete('gost_feed', keyOf.feedRow(feed, externalId));
  for (const row of feed.rows) {
    const { externalId, task, removedAtUs } = row;
    const stored: FeedRowRow = { task, removedAtUs, body: codecs.feedRow.encode(row) };
    tx.put('gost_feed', keyOf.feedRow(feed, externalId), stored);
  }
};

/** All of the unit or nothing of it: versions first, then the rest without a look back. */
export const applyUnit = (
  tx: MemoryTx,
  { changes, drafts, feed, outbox = [] }: CommitUnit,
  codecs: GostCodecs,
): Result<void, Conflict> => {
  const offersStand = changes.every(
    ({ offer, expectedVersion }) =>
      (tx.get<HeadRow>('gost_offer', keyOf.offer(offer.id))?.version ?? 0) === expectedVersion &&
      (expectedVersion > 0 || !tx.get('gost_archive', offer.id)), // an archived offer has its id still
  );
  const slotsStand = (drafts?.slots ?? []).every(
    ({ owner, expectedVersion }) =>
      (tx.get<SlotRow>('gost_current_draft', keyOf.slot(owner))?.version ?? 0) === expectedVersion,
  );
  const feedStands =
    !feed ||
    (tx.get<ProgressRow>('gost_feed_progress', keyOf.feed(feed))?.version ?? 0) === feed.expectedVersion;
  if (!offersStand || !slotsStand || !feedStands) return err({ kind: 'Conflict' });
  changes.forEach((change) => applyChange(tx, change, codecs));
  if (drafts) applyDrafts(tx, drafts, codecs);
  if (feed) applyFeed(tx, feed, codecs);
  for (const record of outbox) tx.put('gost_queue', keyOf.queue(record), record);
  return ok(undefined);
};

import { offerStatus, type GostCodecs, type OfferChange } from '@doska/core/gost';
import {
  idHashOf,
  OWNER_KINDS,
  PRESETS,
  queuedRecords,
  STATUS_CODES,
  TIMERS,
  TOTALS,
  writtenParts,
  type CommitUnit,
  type DraftMove,
  type FeedMove,
  type OutboxRecord,
  type TimerKey,
} from '@doska/core/gost/storage';
import { noRows, type RowsOf } from '../driver/row-set.ts';
import { COMMIT } from './sql-functions.ts';

type Rows = RowsOf<typeof COMMIT.rows>;

const addOutbox = (rows: Rows, unit: number, records: readonly OutboxRecord[]): void => {
  for (const { shard, atUs, topic, key, id, value } of records)
    rows.queue.push({ unit, shard, at_us: atUs, topic, key, id, value });
};

const addTimer = (rows: Rows, unit: number, timer: TimerKey | undefined, change: 1 | -1): void => {
  if (!timer) return;
  const { what, shard, atUs, offerId } = timer;
  rows.timers.push({ unit, what: TIMERS[what], shard, at_us: atUs, offer_id: offerId, change });
};

const addChange = (rows: Rows, unit: number, change: OfferChange, codecs: GostCodecs): void => {
  const { offer, expectedVersion, history } = change;
  const { id, version, seller } = offer;
  const [head, ...bodies] = writtenParts(change, codecs);
  rows.offers.push({
    unit,
    id,
    expected_version: expectedVersion,
    version,
    seller,
    hash: idHashOf(id),
    status: STATUS_CODES[offerStatus(offer)],
    head: head.body,
    history: codecs.history.encode(history),
  });
  for (const { kind, body } of bodies) rows.bodies.push({ unit, offer_id: id, kind, body });
  if (history.sale) {
    const { currency = '', minorUnits: earned = 0 } = history.sale.earned ?? {};
    rows.sales.push({ unit, seller, offer_id: id, currency, earned });
  }
  for (const { seller: owner, preset, createdAtUs, offerId, by } of change.presets)
    rows.lines.push({
      unit,
      seller: owner,
      preset: PRESETS[preset],
      created_at_us: createdAtUs,
      offer_id: offerId,
      change: by,
    });
  for (const { total, currency, by } of change.totals)
    rows.totals.push({ unit, seller, total: TOTALS[total], currency, seq_no: change.stripe, change: by });
  addOutbox(rows, unit, queuedRecords(change, codecs));
  addTimer(rows, unit, change.timerRemoved, -1);
  addTimer(rows, unit, change.timerAdded, 1);
};

const addDrafts = (
  rows: Rows,
  unit: number,
  { slots, erased, published }: DraftMove,
  codecs: GostCodecs,
): void => {
  for (const { owner, expectedVersion, draft } of slots)
    rows.slots.push({
      unit,
      owner_kind: OWNER_KINDS[owner.kind],
      owner_id: owner.id,
      expected_version: expectedVersion,
      draft_id: draft?.id ?? null,
      saved_at_us: draft?.lastUpdateUs ?? 0,
      body: draft ? codecs.draft.encode(draft) : null,
    });
  for (const id of erased) rows.erased_drafts.push({ unit, id });
  if (published)
    rows.published_drafts.push({
      unit,
      id: published.draftId,
      offer_id: published.offerId,
      at_us: published.atUs,
    });
};

const addFeed = (
  rows: Rows,
  unit: number,
  { seller, namespace, expectedVersion, progress, rows: changed, dropped }: FeedMove,
  codecs: GostCodecs,
): void => {
  const body = codecs.feedProgress.encode(progress);
  rows.feeds.push({ unit, seller, namespace, expected_version: expectedVersion, body });
  for (const row of changed)
    rows.feed_rows.push({
      unit,
      seller,
      namespace,
      external_id: row.externalId,
      task: row.task,
      removed_at_us: row.removedAtUs ?? null,
      body: codecs.feedRow.encode(row),
    });
  for (const externalId of dropped)
    rows.dropped_feed_rows.push({ unit, seller, namespace, external_id: externalId });
};

/** The rows of a call of `gost.commit`. The number of a unit is its place in `units`. */
export const commitRows = (units: readonly CommitUnit[], codecs: GostCodecs): Rows => {
  const rows = noRows(COMMIT.rows);
  units.forEach(({ changes, drafts, feed, outbox = [] }, unit) => {
    for (const change of changes) addChange(rows, unit, change, codecs);
    if (drafts) addDrafts(rows, unit, drafts, codecs);
    if (feed) addFeed(rows, unit, feed, codecs);
    addOutbox(rows, unit, outbox);
  });
  return rows;
};

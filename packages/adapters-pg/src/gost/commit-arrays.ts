import {
  idHashOf,
  offerStatus,
  PRESETS,
  queuedRecords,
  TIMERS,
  TOTALS,
  writtenParts,
  type CommitUnit,
  type DraftOwner,
  type FeedMove,
  type GostCodecs,
  type OfferChange,
  type OutboxRecord,
  type Status,
} from '@doska/core/gost';
import { Columns } from '../driver/columns.ts';

/** Stored: they never change. */
export const STATUS_CODES = {
  active: 1,
  hidden: 2,
  expired: 3,
  sold: 4,
  removed: 5,
  banned: 6,
} as const satisfies Record<Status, number>;
export const OWNER_KINDS = { user: 1, anonymous: 2 } as const satisfies Record<DraftOwner['kind'], number>;

/** All bytes of a commit as one parameter: an array of bytea would travel as text, twice as long. */
class Frame {
  readonly #parts: Uint8Array[] = [];
  #length = 0;
  put(bytes: Uint8Array): [offset: number, length: number] {
    const at = this.#length;
    this.#parts.push(bytes);
    this.#length += bytes.length;
    return [at, bytes.length];
  }
  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

const columns = () => ({
  offers: new Columns(11),
  bodies: new Columns(5),
  presets: new Columns(6),
  sales: new Columns(5),
  totals: new Columns(6),
  queue: new Columns(8),
  timers: new Columns(6),
  slots: new Columns(8),
  erased: new Columns(2),
  published: new Columns(4),
  feeds: new Columns(6),
  feedRows: new Columns(8),
  dropped: new Columns(4),
});

const addOutbox = (
  into: ReturnType<typeof columns>,
  frame: Frame,
  unit: number,
  records: readonly OutboxRecord[],
): void => {
  for (const { shard, atUs, topic, key, id, value } of records)
    into.queue.add(unit, shard, atUs, topic, key, id, ...frame.put(value));
};
const addChange = (
  into: ReturnType<typeof columns>,
  frame: Frame,
  unit: number,
  change: OfferChange,
  codecs: GostCodecs,
): void => {
  const { offer, expectedVersion, timerAdded, timerRemoved, history } = change;
  const [head, ...bodies] = writtenParts(change, codecs);
  into.offers.add(
    ...[unit, offer.id, expectedVersion, offer.version, offer.seller, idHashOf(offer.id)],
    ...[STATUS_CODES[offerStatus(offer)], ...frame.put(head.body)],
    ...frame.put(codecs.history.encode(history)),
  );
  for (const { kind, body } of bodies) into.bodies.add(unit, offer.id, kind, ...frame.put(body));
  if (history.sale) {
    const { currency = '', minorUnits = 0 } = history.sale.earned ?? {};
    into.sales.add(unit, offer.seller, offer.id, currency, minorUnits);
  }
  for (const { seller, preset, createdAtUs, offerId, by } of change.presets)
    into.presets.add(unit, seller, PRESETS[preset], createdAtUs, offerId, by);
  for (const { total, currency, by } of change.totals)
    into.totals.add(unit, offer.seller, TOTALS[total], currency, change.stripe, by);
  addOutbox(into, frame, unit, queuedRecords(change, codecs));
  if (timerRemoved)
    into.timers.add(unit, TIMERS[timerRemoved.what], timerRemoved.shard, timerRemoved.atUs, offer.id, -1);
  if (timerAdded)
    into.timers.add(unit, TIMERS[timerAdded.what], timerAdded.shard, timerAdded.atUs, offer.id, 1);
};

const addFeed = (
  into: ReturnType<typeof columns>,
  frame: Frame,
  unit: number,
  { seller, namespace, expectedVersion, progress, rows, dropped }: FeedMove,
  codecs: GostCodecs,
): void => {
  const body = frame.put(codecs.feedProgress.encode(progress));
  into.feeds.add(unit, seller, namespace, expectedVersion, ...body);
  for (const row of rows) {
    const slice = frame.put(codecs.feedRow.encode(row));
    const { externalId, task, removedAtUs = null } = row;
    into.feedRows.add(unit, seller, namespace, externalId, task, removedAtUs, ...slice);
  }
  for (const externalId of dropped) into.dropped.add(unit, seller, namespace, externalId);
};

/** The parameters of `gost.commit`, in its order. The number of a unit is its place in `units`. */
export const commitParameters = (units: readonly CommitUnit[], codecs: GostCodecs): unknown[] => {
  const into = columns();
  const frame = new Frame();
  units.forEach(({ changes, drafts, feed, outbox = [] }, unit) => {
    for (const change of changes) addChange(into, frame, unit, change, codecs);
    for (const { owner, expectedVersion, draft } of drafts?.slots ?? []) {
      const slice = draft ? frame.put(codecs.draft.encode(draft)) : [0, 0];
      const slot = [OWNER_KINDS[owner.kind], owner.id, expectedVersion, draft?.id ?? null];
      into.slots.add(unit, ...slot, draft?.lastUpdateUs ?? 0, ...slice);
    }
    for (const id of drafts?.erased ?? []) into.erased.add(unit, id);
    const published = drafts?.published;
    if (published) into.published.add(unit, published.draftId, published.offerId, published.atUs);
    if (feed) addFeed(into, frame, unit, feed, codecs);
    addOutbox(into, frame, unit, outbox);
  });
  return [...Object.values(into).flatMap(({ parameters }) => parameters), frame.bytes];
};

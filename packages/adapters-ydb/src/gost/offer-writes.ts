import { offerStatus, type GostCodecs, type OfferChange } from '@doska/core/gost';
import {
  HEAD_KIND,
  idHashOf,
  PRESETS,
  queuedRecords,
  STATUS_CODES,
  TOTALS,
  writtenParts,
  type CommitUnit,
  type OutboxRecord,
  type PresetMove,
  type TimerKey,
} from '@doska/core/gost/storage';
import type { RowOf } from '../driver/column-type.ts';
import type { ParametersOf } from '../driver/query.ts';
import type * as tables from '../schema/gost-tables.ts';
import type { WRITE_OFFERS } from './commit-queries.ts';
import { keyOf, type CommitState, type CountRow, type TotalsMoved } from './commit-state.ts';

type Writes = ParametersOf<(typeof WRITE_OFFERS)['parameters']>;
type PartRow = RowOf<typeof tables.offers.columns>;
type QueueRow = RowOf<typeof tables.queue.columns>;

const partRows = (change: OfferChange, codecs: GostCodecs): readonly PartRow[] => {
  const { id, version, seller } = change.offer;
  const status = STATUS_CODES[offerStatus(change.offer)];
  return writtenParts(change, codecs).map(({ kind, body }) =>
    kind === HEAD_KIND
      ? { id, kind, version, status, seller, body }
      : { id, kind, version: undefined, status: undefined, seller: undefined, body },
  );
};
const saleRows = ({ offer, history }: OfferChange): Writes['sales'] => {
  if (!history.sale) return [];
  const { currency = '', minorUnits = 0 } = history.sale.earned ?? {};
  return [{ seller: offer.seller, offer_id: offer.id, currency, earned: minorUnits }];
};
export const lineRow = ({ seller, preset, createdAtUs, offerId }: PresetMove) => ({
  seller,
  preset: PRESETS[preset],
  created_at_us: createdAtUs,
  offer_id: offerId,
});

/** A running repair goes downward: what it has passed already moves its partial count too. */
const passed = (
  { createdAtUs, offerId }: PresetMove,
  { repair_at_us: at, repair_offer_id: id }: CountRow,
): boolean => at !== undefined && (createdAtUs > at || (createdAtUs === at && offerId >= (id ?? '')));
/** The counts of every list that moves, also when it moves by nothing: a running repair may have passed one line of two. */
export const countRows = (
  moves: readonly PresetMove[],
  { counts }: Pick<CommitState, 'counts'>,
): readonly CountRow[] => {
  const moved = new Map<string, CountRow>();
  for (const move of moves) {
    const seller = move.seller;
    const preset = PRESETS[move.preset];
    const key = keyOf(seller, preset);
    const none = { counter: 0, repair_at_us: undefined, repair_offer_id: undefined, repair_partial: 0 };
    const row = moved.get(key) ?? counts.get(key) ?? { seller, preset, ...none };
    const partial = row.repair_partial + (passed(move, row) ? move.by : 0);
    moved.set(key, { ...row, counter: row.counter + move.by, repair_partial: partial });
  }
  return [...moved.values()];
};
export const totalRows = (
  changes: readonly TotalsMoved[],
  { totals }: Pick<CommitState, 'totals'>,
): Writes['totals'] => {
  const moved = new Map<string, Writes['totals'][number]>();
  for (const { offer, totals: moves, stripe } of changes)
    for (const { total, currency, by } of moves) {
      const place = { seller: offer.seller, total: TOTALS[total], currency, seq_no: stripe };
      const key = keyOf(place.seller, place.total, currency, stripe);
      const value = moved.get(key)?.value ?? totals.get(key) ?? 0;
      moved.set(key, { ...place, value: value + by });
    }
  return [...moved.values()];
};

const outboxRow = ({ shard, atUs, topic, key, id, value }: OutboxRecord): QueueRow => ({
  shard,
  at_us: atUs,
  topic,
  record_key: key,
  record_id: id,
  body: value,
});
/** A list for AS_TABLE must not name a key twice. */
const queueRows = (units: readonly CommitUnit[], codecs: GostCodecs): readonly QueueRow[] => {
  const records = units.flatMap(({ changes, outbox = [] }) => [
    ...changes.flatMap((change) => queuedRecords(change, codecs)),
    ...outbox,
  ]);
  const byKey = records
    .map(outboxRow)
    .map((row) => [keyOf(row.shard, row.at_us, row.topic, row.record_key, row.record_id), row] as const);
  return [...new Map(byKey).values()];
};
/** A table for each kind: what is in one is asked for by its age alone. */
const timerRows = (
  keys: readonly (TimerKey | undefined)[],
): { readonly expiry: Writes['expiry']; readonly archive: Writes['archive'] } => ({
  expiry: keys.flatMap((key) =>
    key?.what === 'expiry' ? [{ shard: key.shard, expires_at_us: key.atUs, offer_id: key.offerId }] : [],
  ),
  archive: keys.flatMap((key) =>
    key?.what === 'archive' ? [{ shard: key.shard, retired_at_us: key.atUs, offer_id: key.offerId }] : [],
  ),
});

/** Everything that the units, which all survive, make true of offers and of what moves with them. */
export const offerWrites = (units: readonly CommitUnit[], state: CommitState, codecs: GostCodecs): Writes => {
  const changes = units.flatMap((unit) => unit.changes);
  const made = changes.filter(({ expectedVersion }) => expectedVersion === 0).map(({ offer }) => offer);
  const moves = changes.flatMap(({ presets }) => presets);
  const timersGone = timerRows(changes.map(({ timerRemoved }) => timerRemoved));
  const timers = timerRows(changes.map(({ timerAdded }) => timerAdded));
  return {
    parts: changes.flatMap((change) => partRows(change, codecs)),
    hashes: made.map(({ id }) => ({ hash: idHashOf(id), offer_id: id })),
    sellers: made.map(({ id, seller }) => ({ seller, offer_id: id })),
    history: changes.map(({ offer, history }) => ({
      offer_id: offer.id,
      version: offer.version,
      body: codecs.history.encode(history),
    })),
    sales: changes.flatMap(saleRows),
    lines_gone: moves.filter(({ by }) => by < 0).map(lineRow),
    lines: moves.filter(({ by }) => by > 0).map(lineRow),
    counts: countRows(moves, state),
    totals: totalRows(changes, state),
    queue: queueRows(units, codecs),
    expiry_gone: timersGone.expiry,
    expiry: timers.expiry,
    archive_gone: timersGone.archive,
    archive: timers.archive,
  };
};

import { type FeedKey, type OfferChange } from '@doska/core/gost';
import { OWNER_KINDS, PRESETS, TOTALS, type CommitUnit } from '@doska/core/gost/storage';
import type { RowOf } from '../driver/column-type.ts';
import type { ParametersOf } from '../driver/query.ts';
import type { YdbTx } from '../driver/transaction.ts';
import type { currentDrafts, presetCounts } from '../schema/gost-tables.ts';
import { READ_DRAFTS, READ_FEEDS, READ_OFFERS } from './commit-queries.ts';

export type CountRow = RowOf<typeof presetCounts.columns>;
export type SlotRow = RowOf<typeof currentDrafts.columns>;
export type KnownFeedRow = { readonly task: number; readonly removed_at_us: number | undefined };
/** The stored rows that a group of units touches. A key that is absent from a map is absent from its table. */
export type CommitState = {
  readonly versions: ReadonlyMap<string, number>;
  /** Ids of new offers that an archived offer has already. */
  readonly taken: ReadonlySet<string>;
  readonly slots: ReadonlyMap<string, SlotRow>;
  readonly feeds: ReadonlyMap<string, number>;
  readonly feedRows: ReadonlyMap<string, KnownFeedRow>;
  readonly counts: ReadonlyMap<string, CountRow>;
  readonly totals: ReadonlyMap<string, number>;
};
/** What changes totals: a change of an offer, or its move to the archive. */
export type TotalsMoved = Pick<OfferChange, 'totals' | 'stripe'> & {
  readonly offer: Pick<OfferChange['offer'], 'seller'>;
};
export const keyOf = (...parts: readonly (string | number)[]): string => JSON.stringify(parts);

/** Each key once, sorted, so that all transactions take locks in the same order. */
export const distinct = <Row extends object>(rows: readonly Row[]): readonly Row[] => {
  const byKey = new Map(rows.map((row) => [keyOf(...(Object.values(row) as string[])), row]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
};
export const totalKeys = ({ offer, totals, stripe }: TotalsMoved) =>
  totals.map(({ total, currency }) => ({
    seller: offer.seller,
    total: TOTALS[total],
    currency,
    seq_no: stripe,
  }));
const feedRowKeys = ({ seller, namespace }: FeedKey, ids: readonly string[]) =>
  ids.map((external_id) => ({ seller, namespace, external_id }));

type Keys = {
  readonly offers: ParametersOf<(typeof READ_OFFERS)['parameters']>;
  readonly drafts: ParametersOf<(typeof READ_DRAFTS)['parameters']>;
  readonly feeds: ParametersOf<(typeof READ_FEEDS)['parameters']>;
};
const keysOf = (units: readonly CommitUnit[]): Keys => {
  const changes = units.flatMap((unit) => unit.changes);
  const slots = units.flatMap(({ drafts }) => drafts?.slots ?? []);
  const feeds = units.flatMap(({ feed }) => feed ?? []);
  return {
    offers: {
      ids: changes.map(({ offer }): string => offer.id).sort(),
      made: changes
        .filter(({ expectedVersion }) => expectedVersion === 0)
        .map(({ offer }): string => offer.id)
        .sort(),
      lists: distinct(
        changes.flatMap((one) =>
          one.presets.map(({ seller, preset }) => ({ seller, preset: PRESETS[preset] })),
        ),
      ),
      totals: distinct(changes.flatMap(totalKeys)),
    },
    drafts: {
      slots: distinct(
        slots.map(({ owner }) => ({ owner_kind: OWNER_KINDS[owner.kind], owner_id: owner.id })),
      ),
    },
    feeds: {
      feeds: distinct(feeds.map(({ seller, namespace }) => ({ seller, namespace }))),
      rows: distinct(
        feeds.flatMap((feed) =>
          feedRowKeys(feed, [...feed.rows.map(({ externalId }) => externalId), ...feed.dropped]),
        ),
      ),
    },
  };
};

/** A result has at most 1000 rows, so the keys are read in parts. The transaction makes them one snapshot. */
const PART = 1_000;
export const inParts = <Parameters extends Readonly<Record<string, readonly unknown[]>>>(
  keys: Parameters,
): readonly Parameters[] => {
  const parts = Math.ceil(Math.max(0, ...Object.values(keys).map((list) => list.length)) / PART);
  return Array.from(
    { length: parts },
    (_, part) =>
      Object.fromEntries(
        Object.entries(keys).map(([name, list]) => [name, list.slice(part * PART, (part + 1) * PART)]),
      ) as unknown as Parameters,
  );
};

export const readState = async (tx: YdbTx, units: readonly CommitUnit[]): Promise<CommitState> => {
  const keys = keysOf(units);
  const versions = new Map<string, number>();
  const taken = new Set<string>();
  const counts = new Map<string, CountRow>();
  const totals = new Map<string, number>();
  const slots = new Map<string, SlotRow>();
  const feeds = new Map<string, number>();
  const feedRows = new Map<string, KnownFeedRow>();
  for (const part of inParts(keys.offers)) {
    const [heads, archived, lists, sums] = await tx.run(READ_OFFERS, part);
    for (const { id, version } of heads) versions.set(id, version ?? 0);
    for (const { offer_id } of archived) taken.add(offer_id);
    for (const row of lists) counts.set(keyOf(row.seller, row.preset), row);
    for (const row of sums) totals.set(keyOf(row.seller, row.total, row.currency, row.seq_no), row.value);
  }
  for (const part of inParts(keys.drafts)) {
    const [found] = await tx.run(READ_DRAFTS, part);
    for (const row of found) slots.set(keyOf(row.owner_kind, row.owner_id), row);
  }
  for (const part of inParts(keys.feeds)) {
    const [found, known] = await tx.run(READ_FEEDS, part);
    for (const { seller, namespace, version } of found) feeds.set(keyOf(seller, namespace), version);
    for (const row of known) feedRows.set(keyOf(row.seller, row.namespace, row.external_id), row);
  }
  return { versions, taken, slots, feeds, feedRows, counts, totals };
};

/** Whether everything that the unit was decided on is still at the expected version. */
export const stands = (
  { changes, drafts, feed }: CommitUnit,
  { versions, taken, slots, feeds }: CommitState,
): boolean =>
  changes.every(
    ({ offer, expectedVersion }) => (versions.get(offer.id) ?? 0) === expectedVersion && !taken.has(offer.id),
  ) &&
  (drafts?.slots ?? []).every(
    ({ owner, expectedVersion }) =>
      (slots.get(keyOf(OWNER_KINDS[owner.kind], owner.id))?.version ?? 0) === expectedVersion,
  ) &&
  (!feed || (feeds.get(keyOf(feed.seller, feed.namespace)) ?? 0) === feed.expectedVersion);

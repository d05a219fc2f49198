import { ok, ResultAsync, type Result } from 'neverthrow';
import type { OfferId } from '@doska/core/gost';
import type { Unavailable } from '@doska/core/kernel';
import {
  PARKED_ROWS_MAX,
  type ParkCause,
  type ParkedOffer,
  type Parking,
  type ParkingLot,
} from '@doska/core/search';
import type { YdbClient } from '../driver/client.ts';
import type { RowOf } from '../driver/column-type.ts';
import type { YdbTx } from '../driver/transaction.ts';
import { allBuckets, bucketOf } from '../schema/buckets.ts';
import type { parkedDue, parkedOffers } from '../schema/search-tables.ts';
import { COUNTED_AT_ONCE, countSlices } from './count-slices.ts';
import { LOT_COUNT, LOT_DUE, LOT_FIND, LOT_LIST, LOT_WRITE } from './search-queries.ts';

type Row = RowOf<typeof parkedOffers.columns>;
/** Reasons are texts of any length, and a transaction holds about 1 MB. */
const PARKED_AT_ONCE = 200;

const offerOf = (row: Row): ParkedOffer => ({
  offerId: row.offer as OfferId,
  cause: row.cause as ParkCause,
  reason: row.reason,
  versionUs: row.version_us,
  sinceMs: row.since_ms,
  retryAtMs: row.retry_at_ms,
  attempts: row.attempts,
  sent: row.sent,
  revision: row.revision,
});
/** The row of an offer that is parked, again or for the first time. */
const parkedRow = (parking: Parking, old: Row | undefined): Row => ({
  offer: parking.offerId,
  cause: parking.cause,
  reason: parking.reason,
  version_us: Math.max(parking.versionUs, old?.version_us ?? 0),
  since_ms: old?.since_ms ?? parking.atMs,
  retry_at_ms: parking.retryAtMs,
  attempts: old?.attempts ?? 0,
  sent: false,
  revision: (old?.revision ?? 0) + 1,
});
const dueOf = ({ offer, retry_at_ms }: Row): RowOf<typeof parkedDue.columns> => ({
  bucket: bucketOf(offer),
  retry_at_ms,
  offer,
});
/** Writes the rows, in place of the old ones. */
const put = (tx: YdbTx, rows: readonly Row[], old: ReadonlyMap<string, Row>): Promise<unknown> =>
  tx.commit(LOT_WRITE, {
    gone: [],
    parked: rows,
    due_gone: rows.flatMap((row) => {
      const before = old.get(row.offer);
      return before && before.retry_at_ms !== row.retry_at_ms ? [dueOf(before)] : [];
    }),
    due: rows.map(dueOf),
  });
const rowsOf = async (ask: YdbTx['run'], offers: readonly string[]): Promise<ReadonlyMap<string, Row>> => {
  if (offers.length === 0) return new Map();
  const [found] = await ask(LOT_FIND, { offers });
  return new Map(found.map((row) => [row.offer, row]));
};

/** The lot of parked offers on one database. */
export const ydbParkingLot = (client: YdbClient): ParkingLot => {
  const most = (limit: number): number => Math.min(limit, PARKED_ROWS_MAX);
  // A repeat raises the revision once more, which a retry notices as it would notice any event.
  const parkSome = (some: readonly Parking[]): ResultAsync<void, Unavailable> =>
    client.write(
      'lot.park',
      async (tx) => {
        const old = await rowsOf(
          tx.run,
          some.map(({ offerId }) => offerId),
        );
        const rows = some.map((parking) => parkedRow(parking, old.get(parking.offerId)));
        await put(tx, rows, old);
      },
      { idempotent: true },
    );
  const parkAll = async (offers: readonly Parking[]): Promise<Result<void, Unavailable>> => {
    for (let from = 0; from < offers.length; from += PARKED_AT_ONCE) {
      const parked = await parkSome(offers.slice(from, from + PARKED_AT_ONCE));
      if (parked.isErr()) return parked;
    }
    return ok(undefined);
  };
  return {
    park: (offers) => new ResultAsync(parkAll(offers)),
    find: (ids) =>
      client.read('lot.find', async (tx) => {
        const asked: readonly string[] = [...new Set(ids.slice(0, PARKED_ROWS_MAX))];
        return [...(await rowsOf(tx.commit, asked)).values()].map(offerOf);
      }),
    due: (nowMs, limit) =>
      client.read('lot.due', async (tx) => {
        const due: { readonly retry_at_ms: number; readonly offer: string }[] = [];
        for (const bucket of allBuckets)
          due.push(...(await tx.run(LOT_DUE, { bucket, now: nowMs, limit: most(limit) }))[0]);
        due.sort((a, b) => a.retry_at_ms - b.retry_at_ms || (a.offer < b.offer ? -1 : 1));
        const first = due.slice(0, most(limit)).map(({ offer }) => offer);
        const rows = await rowsOf(tx.commit, first);
        return first.flatMap((offer) => rows.get(offer) ?? []).map(offerOf);
      }),
    list: (after, limit) =>
      client.read('lot.list', async (tx) =>
        (await tx.commit(LOT_LIST, { after, limit: most(limit) }))[0].map(offerOf),
      ),
    settle: (id, revision, change) =>
      client.write('lot.settle', async (tx) => {
        const old = await rowsOf(tx.run, [id]);
        const row = old.get(id);
        if (row?.revision !== revision) return false;
        if (!change) {
          const gone = { gone: [{ offer: id }], parked: [], due_gone: [dueOf(row)], due: [] };
          await tx.commit(LOT_WRITE, gone);
          return true;
        }
        const { reason, attempts, retryAtMs, sent } = change;
        const next = { ...row, reason, attempts, retry_at_ms: retryAtMs, sent, revision: revision + 1 };
        await put(tx, [next], old);
        return true;
      }),
    count: () =>
      client.read('lot.count', (tx) =>
        countSlices(async (after) => (await tx.run(LOT_COUNT, { after, limit: COUNTED_AT_ONCE }))[0][0]),
      ),
  };
};

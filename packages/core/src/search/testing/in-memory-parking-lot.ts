import { ok } from 'neverthrow';
import { direct, transact, type Io, type MemoryDatabase } from '../../kernel/testing.ts';
import { PARKED_ROWS_MAX, type ParkedOffer, type ParkingLot } from '../parking/parking-lot.port.ts';

const LOT = 'search_parked';
const DUE = 'search_parked_due';
const number = (n: number): string => String(n).padStart(16, '0');
const dueKey = ({ retryAtMs, offerId }: ParkedOffer): string => `${number(retryAtMs)}/${offerId}`;

export const inMemoryParkingLot = (db: MemoryDatabase, io: Io = direct): ParkingLot => ({
  park: (offers) =>
    transact(db, io, 'lot.park', { count: offers.length }, (tx) => {
      for (const { offerId, cause, reason, versionUs, atMs, retryAtMs } of offers) {
        const old = tx.get<ParkedOffer>(LOT, offerId);
        if (old) tx.delete(DUE, dueKey(old));
        const row: ParkedOffer = {
          offerId,
          cause,
          reason,
          retryAtMs,
          versionUs: Math.max(versionUs, old?.versionUs ?? 0),
          sinceMs: old?.sinceMs ?? atMs,
          attempts: old?.attempts ?? 0,
          sent: false,
          revision: (old?.revision ?? 0) + 1,
        };
        tx.put(LOT, offerId, row);
        tx.put(DUE, dueKey(row), { offerId });
      }
      return ok(undefined);
    }),
  find: (ids) =>
    transact(db, io, 'lot.find', { ids }, (tx) =>
      ok(ids.flatMap((id) => tx.get<ParkedOffer>(LOT, id) ?? [])),
    ),
  due: (nowMs, limit) =>
    transact(db, io, 'lot.due', { nowMs }, (tx) =>
      ok(
        tx
          .scan<Pick<ParkedOffer, 'offerId'>>(DUE, {
            to: number(nowMs + 1),
            limit: Math.min(limit, PARKED_ROWS_MAX),
          })
          .flatMap(([, { offerId }]) => tx.get<ParkedOffer>(LOT, offerId) ?? []),
      ),
    ),
  list: (after, limit) =>
    transact(db, io, 'lot.list', { after }, (tx) =>
      ok(tx.scan<ParkedOffer>(LOT, { after, limit: Math.min(limit, PARKED_ROWS_MAX) }).map(([, row]) => row)),
    ),
  settle: (id, revision, change) =>
    transact(db, io, 'lot.settle', { id, revision }, (tx) => {
      const old = tx.get<ParkedOffer>(LOT, id);
      if (old?.revision !== revision) return ok(false);
      tx.delete(DUE, dueKey(old));
      if (!change) tx.delete(LOT, id);
      else {
        const row: ParkedOffer = { ...old, ...change, revision: revision + 1 };
        tx.put(LOT, id, row);
        tx.put(DUE, dueKey(row), { offerId: id });
      }
      return ok(true);
    }),
  count: () =>
    transact(db, io, 'lot.count', {}, (tx) => {
      let count = 0;
      for (let after: string | undefined; ;) {
        const page = tx.scan(LOT, { ...(after === undefined ? {} : { after }), limit: PARKED_ROWS_MAX });
        count += page.length;
        if (page.length < PARKED_ROWS_MAX) return ok(count);
        after = page.at(-1)![0];
      }
    }),
});

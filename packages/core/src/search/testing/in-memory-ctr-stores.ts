import { ok } from 'neverthrow';
import type { OfferId } from '../../gost/index.ts';
import { direct, transact, type Io, type MemoryDatabase, type MemoryTx } from '../../kernel/testing.ts';
import { pkHashOf } from '../../vasgen/index.ts';
import { CTR_ROWS_MAX, type CtrStores, type QueuedOffer } from '../ctr/ctr-stores.port.ts';

type RateRow = { readonly offerId: OfferId; readonly ctr: number };

const RATES = 'search_click_rate';
const QUEUE = 'search_ctr_queue';
const number = (n: number): string => String(n).padStart(16, '0');
const rateKey = (epochMs: number, id: string): string => `${number(epochMs)}/${number(pkHashOf(id))}/${id}`;
const ofEpoch = (epochMs: number): { from: string; to: string } => ({
  from: `${number(epochMs)}/`,
  to: `${number(epochMs)}0`, // the symbol behind the slash
});
/** A name of a table may hold any symbol, so a symbol that is below all others ends it. */
const queueKey = ({ table, offerId }: QueuedOffer): string =>
  `${table}\0${number(pkHashOf(offerId))}/${offerId}`;

const countOf = (tx: MemoryTx, table: string, range: { from?: string; to?: string }): number => {
  let count = 0;
  for (let after: string | undefined; ;) {
    const page = tx.scan(table, { ...range, ...(after === undefined ? {} : { after }), limit: CTR_ROWS_MAX });
    count += page.length;
    if (page.length < CTR_ROWS_MAX) return count;
    after = page.at(-1)![0];
  }
};

export const inMemoryCtrStores = (db: MemoryDatabase, io: Io = direct): CtrStores => ({
  rates: {
    put: (epochMs, rates) =>
      transact(db, io, 'ctr.put', { epochMs, count: rates.length }, (tx) => {
        for (const rate of rates) tx.put(RATES, rateKey(epochMs, rate.offerId), rate);
        return ok(undefined);
      }),
    rates: (epochMs, ids) =>
      transact(db, io, 'ctr.rates', { epochMs, ids }, (tx) => {
        const found = ids.flatMap((id) => tx.get<RateRow>(RATES, rateKey(epochMs, id)) ?? []);
        return ok(new Map(found.map(({ offerId, ctr }) => [offerId, ctr])));
      }),
    count: (epochMs) =>
      transact(db, io, 'ctr.count', { epochMs }, (tx) => ok(countOf(tx, RATES, ofEpoch(epochMs)))),
    nextEpoch: (afterMs) =>
      transact(db, io, 'ctr.nextEpoch', { afterMs }, (tx) => {
        const [first] = tx.scan(RATES, { from: number(afterMs + 1), limit: 1 });
        return ok(first && Number(first[0].slice(0, 16)));
      }),
    purge: (epochMs, limit) =>
      transact(db, io, 'ctr.purge', { epochMs }, (tx) => {
        const some = tx.scan(RATES, { ...ofEpoch(epochMs), limit: Math.min(limit, CTR_ROWS_MAX) });
        for (const [key] of some) tx.delete(RATES, key);
        return ok(some.length);
      }),
  },
  queue: {
    add: (table, ids) =>
      transact(db, io, 'ctr.enqueue', { table, count: ids.length }, (tx) => {
        for (const offerId of ids) tx.put(QUEUE, queueKey({ table, offerId }), { table, offerId });
        return ok(undefined);
      }),
    next: (after, limit) =>
      transact(db, io, 'ctr.next', { after }, (tx) =>
        ok(
          tx
            .scan<QueuedOffer>(QUEUE, {
              ...(after === undefined ? {} : { after: queueKey(after) }),
              limit: Math.min(limit, CTR_ROWS_MAX),
            })
            .map(([, element]) => element),
        ),
      ),
    remove: (elements) =>
      transact(db, io, 'ctr.dequeue', { count: elements.length }, (tx) => {
        for (const element of elements) tx.delete(QUEUE, queueKey(element));
        return ok(undefined);
      }),
    count: () => transact(db, io, 'ctr.queued', {}, (tx) => ok(countOf(tx, QUEUE, {}))),
  },
});

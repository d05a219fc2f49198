import type pg from 'pg';
import type { GostUseCases, OfferId, OfferOrder } from '@doska/core/gost';
import type { Measured } from '../harness.ts';
import type { BenchStores } from './product.ts';
import { below, nextCommand, nextContent } from './samples.ts';
import { settle, someId, type Stock } from './stock.ts';

export const RUN_SECONDS = 3;

/** Saves leave a line of history and a record for the queue each; both are counted, then taken away. */
export const written = async (pool: pg.Pool, saves: number): Promise<void> => {
  for (const table of ['gost.queue', 'gost.offer_history where version > 1']) {
    const { rows } = await pool.query<{ n: string }>(`select count(*) as n from ${table}`);
    if (Number(rows[0]?.n) !== saves) throw new Error(`${saves} saves, but ${rows[0]?.n} rows of ${table}`);
  }
  await cleared(pool);
};
export const cleared = async (pool: pg.Pool): Promise<void> => {
  await pool.query('truncate gost.queue');
  await pool.query('delete from gost.offer_history where version > 1');
  await settle(pool);
};

type ChangeOffers = GostUseCases['changeOffers'];
/** What is saved: `next` names an offer that no caller is changing, `done` gives it back. */
type Saves = { readonly next: () => OfferOrder; readonly done: (order: OfferOrder) => void };
const edit = (offerId: OfferId): OfferOrder => ({
  offerId,
  command: { kind: 'edit', id: nextCommand(), by: 'seller', content: nextContent() },
});
export const edits = (stock: Stock): Saves => ({ next: () => edit(someId(stock)), done: () => {} });
/** A third each: edits, offers that are hidden, and offers that are shown again. */
export const mixed = (stock: Stock): Saves => {
  const hidden = new Set<OfferId>();
  const busy = new Set<OfferId>();
  return {
    next: () => {
      let offerId = someId(stock);
      while (busy.has(offerId)) offerId = someId(stock);
      busy.add(offerId);
      if (below(3) === 0) return edit(offerId);
      const kind = hidden.has(offerId) ? ('activate' as const) : ('hide' as const);
      return { offerId, command: { kind, id: nextCommand(), by: 'seller' } };
    },
    done: ({ offerId, command: { kind } }) => {
      busy.delete(offerId);
      if (kind === 'hide') hidden.add(offerId);
      if (kind === 'activate') hidden.delete(offerId);
    },
  };
};

/** `callers` at once, each with `orders` saves a call, for a while. */
const saveFor = async (
  change: ChangeOffers,
  { next, done }: Saves,
  { callers, orders }: { readonly callers: number; readonly orders: number },
): Promise<{ readonly saves: number; readonly seconds: number }> => {
  const startedMs = performance.now();
  let saves = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() - startedMs < RUN_SECONDS * 1_000) {
      const asked = new Map<OfferId, OfferOrder>();
      while (asked.size < orders) {
        const order = next();
        asked.set(order.offerId, order);
      }
      for (const verdict of await change([...asked.values()])) {
        if (verdict.isErr() || !verdict.value.changed) throw new Error(JSON.stringify(verdict));
        saves++;
      }
      for (const order of asked.values()) done(order);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { saves, seconds: (performance.now() - startedMs) / 1_000 };
};

/** Decides and commits one save each, through the group commit of a process. */
export const saveSingly = async ({ pool, gost }: BenchStores, what: Saves): Promise<Measured> => {
  await cleared(pool);
  const { saves, seconds } = await saveFor(gost.useCases.changeOffers, what, { callers: 64, orders: 1 });
  await written(pool, saves);
  return { value: saves / seconds };
};
/** Calls of 50 saves. */
export const saveInFifties = async ({ pool, gost }: BenchStores, what: Saves): Promise<Measured> => {
  await cleared(pool);
  const { saves, seconds } = await saveFor(gost.useCases.changeOffers, what, { callers: 4, orders: 50 });
  await written(pool, saves);
  return { value: saves / seconds };
};

import { ok } from 'neverthrow';
import { direct, transact, type Io, type MemoryDatabase, type MemoryTx } from '../../kernel/testing.ts';
import { cabinet, PRESETS, type Preset, type Total } from '../cabinet/presets.ts';
import type { SellerId } from '../offer/offer.ts';
import type { Cabinet, RepairStep, SellerTotals, TotalDrift } from '../cabinet/cabinet.port.ts';
import { ROWS_MAX } from '../commit/offer-store.port.ts';
import {
  after,
  keyOf,
  type CountRow,
  type HeadRow,
  type PresetRow,
  type SaleRow,
  type TotalRow,
} from './memory-rows.ts';

const presets = Object.keys(PRESETS) as Preset[];
const noTotals: SellerTotals = { Active: 0, Expired: 0, Banned: 0, Sold: 0, MoneyEarned: {} };

/** All rows of a seller, page by page: no result is larger than any database gives. */
const allRows = <Row>(tx: MemoryTx, table: string, prefix: string): readonly Row[] => {
  const rows: Row[] = [];
  for (let last: string | undefined; ;) {
    const page = tx.scan<Row>(table, { ...after(prefix), ...(last ? { after: last } : {}), limit: ROWS_MAX });
    rows.push(...page.map(([, row]) => row));
    last = page.at(-1)?.[0];
    if (page.length < ROWS_MAX) return rows;
  }
};
/** What the totals should be, by everything that they are the sum of. */
const totalsBySource = (tx: MemoryTx, seller: SellerId): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>();
  const add = (total: Total, currency: string, by: number): void =>
    void sums.set(`${total}/${currency}`, (sums.get(`${total}/${currency}`) ?? 0) + by);
  for (const { offerId } of allRows<PresetRow>(tx, 'gost_preset', keyOf.list(seller, 'all'))) {
    const total = cabinet[tx.get<HeadRow>('gost_offer', keyOf.offer(offerId))!.status].total;
    if (total) add(total, '', 1);
  }
  for (const { currency, minorUnits } of allRows<SaleRow>(tx, 'gost_sale', keyOf.totals(seller))) {
    add('Sold', '', 1);
    if (currency !== '') add('MoneyEarned', currency, minorUnits);
  }
  return sums;
};

export const inMemoryCabinet = (db: MemoryDatabase, io: Io = direct): Cabinet => ({
  page: ({ seller, preset, after: place, limit }) =>
    transact(db, io, 'cabinet.page', { seller, preset, place }, (tx) =>
      ok(
        tx
          .scan<PresetRow>('gost_preset', {
            ...after(keyOf.list(seller, preset)),
            ...(place ? { after: keyOf.preset(seller, preset, place) } : {}),
            limit: Math.min(limit, ROWS_MAX),
          })
          .map(([, row]) => row),
      ),
    ),
  counts: (seller) =>
    transact(db, io, 'cabinet.counts', seller, (tx) =>
      ok(
        Object.fromEntries(
          presets.map((preset) => [
            preset,
            tx.get<CountRow>('gost_preset_count', keyOf.list(seller, preset))?.counter ?? 0,
          ]),
        ) as Record<Preset, number>,
      ),
    ),
  totals: (seller) =>
    transact(db, io, 'cabinet.totals', seller, (tx) =>
      ok(
        tx
          .scan<TotalRow>('gost_total', after(keyOf.totals(seller)))
          .reduce<SellerTotals>((sum, [, { total, currency, value }]) => {
            if (total !== 'MoneyEarned')
              return { ...sum, [total]: sum[total as 'Active' | 'Expired' | 'Banned' | 'Sold'] + value };
            const MoneyEarned = { ...sum.MoneyEarned, [currency]: (sum.MoneyEarned[currency] ?? 0) + value };
            return { ...sum, MoneyEarned };
          }, noTotals),
      ),
    ),
  lists: ({ after: last, limit }) =>
    transact(db, io, 'cabinet.lists', last, (tx) =>
      ok(
        tx
          .scan<CountRow>('gost_preset_count', {
            ...(last ? { after: keyOf.list(last.seller, last.preset) } : {}),
            limit: Math.min(limit, ROWS_MAX),
          })
          .map(([, { seller, preset }]) => ({ seller, preset })),
      ),
    ),
  repairStep: ({ seller, preset }, limit) =>
    transact(db, io, 'cabinet.repairStep', { seller, preset }, (tx) => {
      const list = keyOf.list(seller, preset);
      const empty: CountRow = { seller, preset, counter: 0, cursor: undefined, partial: 0 };
      const row = tx.get<CountRow>('gost_preset_count', list) ?? empty;
      const most = Math.min(limit, ROWS_MAX);
      const lines = tx.scan<PresetRow>('gost_preset', {
        ...after(list),
        ...(row.cursor === undefined ? {} : { after: row.cursor }),
        limit: most,
      });
      const counted = (row.cursor === undefined ? 0 : row.partial) + lines.length;
      const done = lines.length < most;
      tx.put('gost_preset_count', list, {
        ...row,
        ...(done
          ? { counter: counted, cursor: undefined, partial: 0 }
          : { cursor: lines.at(-1)![0], partial: counted }),
      });
      return ok<RepairStep>(done ? { done, counted, drift: row.counter - counted } : { done });
    }),
  repairTotals: (seller) =>
    transact(db, io, 'cabinet.repairTotals', seller, (tx) => {
      const expected = totalsBySource(tx, seller);
      const drifts = new Map<string, number>([...expected].map(([name, value]) => [name, -value]));
      for (const { total, currency, value } of allRows<TotalRow>(tx, 'gost_total', keyOf.totals(seller)))
        drifts.set(`${total}/${currency}`, (drifts.get(`${total}/${currency}`) ?? 0) + value);
      const found = [...drifts].filter(([, drift]) => drift !== 0);
      return ok(
        found.map(([name, drift]): TotalDrift => {
          const [total, currency] = name.split('/') as [Total, string];
          const key = keyOf.total(seller, total, currency, 0);
          const value = (tx.get<TotalRow>('gost_total', key)?.value ?? 0) - drift;
          tx.put('gost_total', key, { total, currency, value });
          return { total, currency, drift };
        }),
      );
    }),
});

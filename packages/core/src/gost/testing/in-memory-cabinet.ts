import { ok } from 'neverthrow';
import { direct, transact, type Io, type MemoryDatabase } from '../../kernel/testing.ts';
import { PRESETS, type Preset } from '../domain/cabinet.ts';
import type { Cabinet, RepairStep, SellerTotals } from '../ports/cabinet.port.ts';
import { ROWS_MAX } from '../ports/offer-store.port.ts';
import { after, keyOf, type CountRow, type PresetRow, type TotalRow } from './memory-rows.ts';

const presets = Object.keys(PRESETS) as Preset[];
const noTotals: SellerTotals = { Active: 0, Expired: 0, Banned: 0, Sold: 0, MoneyEarned: {} };

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
});

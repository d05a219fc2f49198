import type pg from 'pg';
import { type OfferId, type Preset, type SellerId, type SellerTotals, type Total } from '@doska/core/gost';
import { PRESETS, ROWS_MAX, TOTALS, type Cabinet } from '@doska/core/gost/storage';
import { guard } from '../driver/guard.ts';

const PAGE = `select created_at_us, offer_id from gost.user_offer_presets where seller = $1 and preset = $2
  and (created_at_us, offer_id) < ($3, $4) order by created_at_us desc, offer_id desc limit $5`;
const COUNTS = 'select preset, counter from gost.user_offer_presets_count where seller = $1';
const TOTALS_OF =
  'select total, currency, sum(value) as value from gost.user_total_counters where seller = $1 group by total, currency';
const LISTS = `select seller, preset from gost.user_offer_presets_count where (seller, preset) > ($1, $2) order by seller, preset limit $3`;
const REPAIR = 'select done, counted, drift from gost.repair_step($1, $2::smallint, $3)';
const REPAIR_TOTALS = 'select total, currency, drift from gost.repair_totals($1)';

const presets = Object.keys(PRESETS) as Preset[];
const presetOf = (code: number): Preset | undefined => presets.find((preset) => PRESETS[preset] === code);
const totalOf = (code: number): Total | undefined =>
  (Object.keys(TOTALS) as Total[]).find((total) => TOTALS[total] === code);
const noCounts: Record<Preset, number> = { all: 0, active: 0, inactive: 0, banned: 0, sold: 0 };
const noTotals: SellerTotals = { Active: 0, Expired: 0, Banned: 0, Sold: 0, MoneyEarned: {} };
type TotalRow = { readonly total: number; readonly currency: string; readonly value: string };

const withTotal = (sum: SellerTotals, { total: code, currency, value }: TotalRow): SellerTotals => {
  const total = totalOf(code);
  if (total === undefined) return sum;
  return total === 'MoneyEarned'
    ? { ...sum, MoneyEarned: { ...sum.MoneyEarned, [currency]: Number(value) } }
    : { ...sum, [total]: Number(value) };
};

export const pgCabinet = (pool: pg.Pool): Cabinet => ({
  page: ({ seller, preset, after, limit }) =>
    guard('gost.cabinet.page', async () => {
      const place = [after?.createdAtUs ?? Number.MAX_SAFE_INTEGER, after?.offerId ?? ''];
      const { rows } = await pool.query<{ created_at_us: string; offer_id: OfferId }>(PAGE, [
        seller,
        PRESETS[preset],
        ...place,
        Math.min(limit, ROWS_MAX),
      ]);
      return rows.map(({ created_at_us, offer_id }) => ({
        seller,
        preset,
        createdAtUs: Number(created_at_us),
        offerId: offer_id,
      }));
    }),
  counts: (seller) =>
    guard('gost.cabinet.counts', async () => {
      const { rows } = await pool.query<{ preset: number; counter: string }>(COUNTS, [seller]);
      const known = rows.flatMap(({ preset, counter }) => {
        const name = presetOf(preset);
        return name ? [[name, Number(counter)] as const] : [];
      });
      return { ...noCounts, ...(Object.fromEntries(known) as Partial<Record<Preset, number>>) };
    }),
  totals: (seller) =>
    guard('gost.cabinet.totals', async () =>
      (await pool.query<TotalRow>(TOTALS_OF, [seller])).rows.reduce(withTotal, noTotals),
    ),
  lists: ({ after, limit }) =>
    guard('gost.cabinet.lists', async () => {
      const { rows } = await pool.query<{ seller: SellerId; preset: number }>(LISTS, [
        after?.seller ?? '',
        after ? PRESETS[after.preset] : 0,
        Math.min(limit, ROWS_MAX),
      ]);
      return rows.flatMap(({ seller, preset: code }) => {
        const preset = presetOf(code);
        return preset ? [{ seller, preset }] : [];
      });
    }),
  repairStep: ({ seller, preset }, limit) =>
    guard('gost.cabinet.repairStep', async () => {
      const { rows } = await pool.query<{ done: boolean; counted: string; drift: string }>(REPAIR, [
        seller,
        PRESETS[preset],
        Math.min(limit, ROWS_MAX),
      ]);
      const { done = true, counted = '0', drift = '0' } = rows[0] ?? {};
      return done ? { done, counted: Number(counted), drift: Number(drift) } : { done };
    }),
  repairTotals: (seller) =>
    guard('gost.cabinet.repairTotals', async () => {
      const { rows } = await pool.query<{ total: number; currency: string; drift: string }>(REPAIR_TOTALS, [
        seller,
      ]);
      return rows.flatMap(({ total: code, currency, drift }) => {
        const total = totalOf(code);
        return total ? [{ total, currency, drift: Number(drift) }] : [];
      });
    }),
});

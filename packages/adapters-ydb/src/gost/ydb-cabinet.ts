import { type OfferId, type Preset, type SellerId, type SellerTotals } from '@doska/core/gost';
import { PRESETS, ROWS_MAX, type Cabinet } from '@doska/core/gost/storage';
import type { YdbClient } from '../driver/client.ts';
import { query } from '../driver/query.ts';
import { presetOf, totalOf } from './codes.ts';
import { repairStep, TOP } from './count-repair.ts';
import { repairTotals } from './totals-repair.ts';

export const PAGE = query({
  name: 'gost/cabinet-page',
  parameters: { seller: 'Utf8', preset: 'Uint32', at: 'Uint64', offer_id: 'Utf8', limit: 'Uint64' },
  results: [{ created_at_us: 'Uint64', offer_id: 'Utf8' }],
  text: `SELECT created_at_us, offer_id FROM gost_user_offer_presets
WHERE seller = $seller AND preset = $preset AND created_at_us <= $at AND (created_at_us < $at OR offer_id < $offer_id)
ORDER BY seller DESC, preset DESC, created_at_us DESC, offer_id DESC LIMIT $limit;`,
});
export const COUNTS = query({
  name: 'gost/cabinet-counts',
  parameters: { seller: 'Utf8' },
  results: [{ preset: 'Uint32', counter: 'Int64' }],
  text: `SELECT preset, counter FROM gost_user_offer_presets_count WHERE seller = $seller
ORDER BY seller, preset LIMIT 1001;`,
});
/** A seller has a row for each total, currency and stripe. */
export const TOTALS_OF = query({
  name: 'gost/cabinet-totals',
  parameters: { seller: 'Utf8' },
  results: [{ total: 'Uint32', currency: 'Utf8', value: 'Int64' }],
  text: `SELECT total, currency, value FROM gost_user_total_counters WHERE seller = $seller
ORDER BY seller, total, currency, seq_no LIMIT 1001;`,
});
export const LISTS = query({
  name: 'gost/cabinet-lists',
  parameters: { seller: 'Utf8', preset: 'Uint32', limit: 'Uint64' },
  results: [{ seller: 'Utf8', preset: 'Uint32' }],
  text: `SELECT seller, preset FROM gost_user_offer_presets_count
WHERE seller >= $seller AND (seller > $seller OR preset > $preset) ORDER BY seller, preset LIMIT $limit;`,
});
export const cabinetQueries = [PAGE, COUNTS, TOTALS_OF, LISTS];

const noCounts: Record<Preset, number> = { all: 0, active: 0, inactive: 0, banned: 0, sold: 0 };
const noTotals: SellerTotals = { Active: 0, Expired: 0, Banned: 0, Sold: 0, MoneyEarned: {} };

export const ydbCabinet = ({
  client,
  sliceRows,
}: {
  readonly client: YdbClient;
  readonly sliceRows?: number;
}): Cabinet => ({
  page: ({ seller, preset, after, limit }) =>
    client.read('gost.cabinet.page', async (tx) => {
      const place = after ? { at: after.createdAtUs, offer_id: after.offerId } : TOP;
      const most = Math.min(limit, ROWS_MAX);
      const [found] = await tx.commit(PAGE, { seller, preset: PRESETS[preset], ...place, limit: most });
      return found.map(({ created_at_us, offer_id }) => ({
        seller,
        preset,
        createdAtUs: created_at_us,
        offerId: offer_id as OfferId,
      }));
    }),
  counts: (seller) =>
    client.read('gost.cabinet.counts', async (tx) => {
      const [found] = await tx.commit(COUNTS, { seller });
      const known = found.flatMap(({ preset: code, counter }) => {
        const preset = presetOf(code);
        return preset ? [[preset, counter] as const] : [];
      });
      return { ...noCounts, ...(Object.fromEntries(known) as Partial<Record<Preset, number>>) };
    }),
  totals: (seller) =>
    client.read('gost.cabinet.totals', async (tx) => {
      const [found] = await tx.commit(TOTALS_OF, { seller });
      return found.reduce<SellerTotals>((sum, { total: code, currency, value }) => {
        const total = totalOf(code);
        if (total === undefined) return sum;
        if (total !== 'MoneyEarned') return { ...sum, [total]: sum[total] + value };
        const earned = (sum.MoneyEarned[currency] ?? 0) + value;
        return { ...sum, MoneyEarned: { ...sum.MoneyEarned, [currency]: earned } };
      }, noTotals);
    }),
  lists: ({ after, limit }) =>
    client.read('gost.cabinet.lists', async (tx) => {
      const place = { seller: after?.seller ?? '', preset: after ? PRESETS[after.preset] : 0 };
      const [found] = await tx.commit(LISTS, { ...place, limit: Math.min(limit, ROWS_MAX) });
      return found.flatMap(({ seller, preset: code }) => {
        const preset = presetOf(code);
        return preset ? [{ seller: seller as SellerId, preset }] : [];
      });
    }),
  repairStep: (list, limit) => repairStep(client, list, Math.min(limit, ROWS_MAX)),
  repairTotals: (seller) => repairTotals(client, seller, sliceRows),
});

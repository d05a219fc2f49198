import {
  PRESETS,
  ROWS_MAX,
  type Cabinet,
  type OfferId,
  type Preset,
  type SellerId,
  type SellerTotals,
} from '@doska/core/gost';
import type { YdbClient } from '../driver/client.ts';
import { query, rows } from '../driver/query.ts';
import { presetCounts } from '../schema/gost-tables.ts';
import { presetOf, totalOf } from './codes.ts';
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
  text: 'SELECT preset, counter FROM gost_user_offer_presets_count WHERE seller = $seller;',
});
export const TOTALS_OF = query({
  name: 'gost/cabinet-totals',
  parameters: { seller: 'Utf8' },
  results: [{ total: 'Uint32', currency: 'Utf8', value: 'Int64' }],
  text: `SELECT total, currency, COALESCE(SUM(value), 0l) AS value FROM gost_user_total_counters WHERE seller = $seller
GROUP BY total, currency;`,
});
export const LISTS = query({
  name: 'gost/cabinet-lists',
  parameters: { seller: 'Utf8', preset: 'Uint32', limit: 'Uint64' },
  results: [{ seller: 'Utf8', preset: 'Uint32' }],
  text: `SELECT seller, preset FROM gost_user_offer_presets_count
WHERE seller >= $seller AND (seller > $seller OR preset > $preset) ORDER BY seller, preset LIMIT $limit;`,
});
export const COUNT_READ = query({
  name: 'gost/count-read',
  parameters: { seller: 'Utf8', preset: 'Uint32' },
  results: [presetCounts.columns],
  text: `SELECT seller, preset, counter, repair_at_us, repair_offer_id, repair_partial
FROM gost_user_offer_presets_count WHERE seller = $seller AND preset = $preset;`,
});
export const COUNT_WRITE = query({
  name: 'gost/count-write',
  parameters: { counts: rows(presetCounts.columns) },
  results: [],
  text: `UPSERT INTO gost_user_offer_presets_count
  SELECT seller, preset, counter, repair_at_us, repair_offer_id, repair_partial FROM AS_TABLE($counts);`,
});
export const cabinetQueries = [PAGE, COUNTS, TOTALS_OF, LISTS, COUNT_READ, COUNT_WRITE];

/** Above every line of a list. */
export const TOP = { at: Number.MAX_SAFE_INTEGER, offer_id: '' } as const;
const noCounts: Record<Preset, number> = { all: 0, active: 0, inactive: 0, banned: 0, sold: 0 };
const noTotals: SellerTotals = { Active: 0, Expired: 0, Banned: 0, Sold: 0, MoneyEarned: {} };

export const ydbCabinet = (client: YdbClient): Cabinet => ({
  page: ({ seller, preset, after, limit }) =>
    client.read('gost.cabinet.page', async (tx) => {
      const place = after ? { at: after.createdAtUs, offer_id: after.offerId } : TOP;
      const most = Math.min(limit, ROWS_MAX);
      const [found] = await tx.commit(PAGE, { seller, preset: PRESETS[preset], ...place, limit: most });
      return found.map(({ created_at_us, offer_id }) => ({
        ...{ seller, preset, createdAtUs: created_at_us, offerId: offer_id as OfferId },
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
        if (total !== 'MoneyEarned') return { ...sum, [total]: value };
        return { ...sum, MoneyEarned: { ...sum.MoneyEarned, [currency]: value } };
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
  // A writer changes the count with every line. It has committed before the step, and the step sees its line; or one of
  // the two is refused at the commit and starts again.
  repairStep: ({ seller, preset }, limit) =>
    client.write('gost.cabinet.repairStep', async (tx) => {
      const most = Math.min(limit, ROWS_MAX);
      const list = { seller, preset: PRESETS[preset] };
      const [[row]] = await tx.run(COUNT_READ, list);
      if (!row) return { done: true, counted: 0, drift: 0 };
      const begun = row.repair_at_us !== undefined;
      const place = begun ? { at: row.repair_at_us, offer_id: row.repair_offer_id ?? '' } : TOP;
      const [lines] = await tx.run(PAGE, { ...list, ...place, limit: most });
      const counted = (begun ? row.repair_partial : 0) + lines.length;
      const end = lines.length < most ? undefined : lines.at(-1);
      const repair = {
        repair_at_us: end?.created_at_us,
        repair_offer_id: end?.offer_id,
        repair_partial: end ? counted : 0,
      };
      await tx.commit(COUNT_WRITE, { counts: [{ ...row, ...repair, counter: end ? row.counter : counted }] });
      return end ? { done: false } : { done: true, counted, drift: row.counter - counted };
    }),
  repairTotals: (seller) => repairTotals(client, seller),
});

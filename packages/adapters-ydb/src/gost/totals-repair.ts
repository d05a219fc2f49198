import { err, ok, ResultAsync, type Result } from 'neverthrow';
import { type SellerId } from '@doska/core/gost';
import { PRESETS, STATUS_CODES, TOTALS, type TotalDrift } from '@doska/core/gost/storage';
import { unavailable, type Unavailable } from '@doska/core/kernel';
import type { YdbClient } from '../driver/client.ts';
import { list, query, rows } from '../driver/query.ts';
import type { YdbTx } from '../driver/transaction.ts';
import { totals as totalsTable } from '../schema/gost-tables.ts';
import { totalOf } from './codes.ts';
import { keyOf } from './commit-state.ts';
import { inSlices, SLICE_ROWS } from './slices.ts';

export const TOTAL_SOURCES = query({
  name: 'gost/total-sources',
  parameters: { seller: 'Utf8' },
  results: [{ total: 'Uint32', currency: 'Utf8', value: 'Int64' }, { repairs: 'Uint64' }],
  text: `SELECT total, currency, value FROM gost_user_total_counters WHERE seller = $seller
ORDER BY seller, total, currency, seq_no LIMIT 1001;
SELECT repairs FROM gost_total_repair WHERE seller = $seller;`,
});
/** The lines of one slice of a list, counted, and the last of them. */
export const LIST_SLICE = query({
  name: 'gost/total-list-slice',
  parameters: { seller: 'Utf8', preset: 'Uint32', at: 'Uint64', offer_id: 'Utf8', limit: 'Uint64' },
  results: [{ n: 'Uint64' }, { created_at_us: 'Uint64', offer_id: 'Utf8' }],
  text: `$slice = (SELECT created_at_us, offer_id FROM gost_user_offer_presets WHERE seller = $seller AND preset = $preset
  AND created_at_us >= $at AND (created_at_us > $at OR offer_id > $offer_id)
  ORDER BY seller, preset, created_at_us, offer_id LIMIT $limit);
SELECT COUNT(*) AS n FROM $slice;
SELECT created_at_us, offer_id FROM $slice ORDER BY created_at_us DESC, offer_id DESC LIMIT 1;`,
});
/** The sales of one slice by currency, and the last of them. */
export const SALES_SLICE = query({
  name: 'gost/total-sales-slice',
  parameters: { seller: 'Utf8', offer_id: 'Utf8', limit: 'Uint64' },
  results: [{ currency: 'Utf8', n: 'Uint64', earned: 'Int64' }, { offer_id: 'Utf8' }],
  text: `$slice = (SELECT offer_id, currency, earned FROM gost_sale WHERE seller = $seller AND offer_id > $offer_id
  ORDER BY seller, offer_id LIMIT $limit);
SELECT currency, COUNT(*) AS n, COALESCE(SUM(earned), 0l) AS earned FROM $slice GROUP BY currency;
SELECT offer_id FROM $slice ORDER BY offer_id DESC LIMIT 1;`,
});
export const INACTIVE = query({
  name: 'gost/total-inactive',
  parameters: { seller: 'Utf8', preset: 'Uint32', at: 'Uint64', offer_id: 'Utf8' },
  results: [{ created_at_us: 'Uint64', offer_id: 'Utf8' }],
  text: `SELECT created_at_us, offer_id FROM gost_user_offer_presets
WHERE seller = $seller AND preset = $preset AND created_at_us >= $at AND (created_at_us > $at OR offer_id > $offer_id)
ORDER BY seller, preset, created_at_us, offer_id LIMIT 1000;`,
});
export const STATUSES = query({
  name: 'gost/total-statuses',
  parameters: { ids: list('Utf8'), status: 'Uint32' },
  results: [{ n: 'Uint64' }],
  text: 'SELECT COUNT(*) AS n FROM gost_offer WHERE id IN $ids AND kind = 0u AND status = $status;',
});
export const REPAIRS_READ = query({
  name: 'gost/total-repairs-read',
  parameters: {
    seller: 'Utf8',
    keys: rows({ seller: 'Utf8', total: 'Uint32', currency: 'Utf8', seq_no: 'Uint32' }),
  },
  results: [{ repairs: 'Uint64' }, { total: 'Uint32', currency: 'Utf8', value: 'Int64' }],
  text: `SELECT repairs FROM gost_total_repair WHERE seller = $seller;
SELECT c.total AS total, c.currency AS currency, c.value AS value
FROM AS_TABLE($keys) AS k INNER JOIN gost_user_total_counters AS c
  ON c.seller = k.seller AND c.total = k.total AND c.currency = k.currency AND c.seq_no = k.seq_no;`,
});
export const REPAIRS_WRITE = query({
  name: 'gost/total-repairs-write',
  parameters: { seller: 'Utf8', repairs: 'Uint64', totals: rows(totalsTable.columns) },
  results: [],
  text: `UPSERT INTO gost_total_repair (seller, repairs) VALUES ($seller, $repairs);
UPSERT INTO gost_user_total_counters SELECT seller, total, currency, seq_no, value FROM AS_TABLE($totals);`,
});
export const totalsQueries = [
  TOTAL_SOURCES,
  LIST_SLICE,
  SALES_SLICE,
  INACTIVE,
  STATUSES,
  REPAIRS_READ,
  REPAIRS_WRITE,
];

const linesOf = async (tx: YdbTx, seller: SellerId, preset: number, sliceRows: number): Promise<number> => {
  let lines = 0;
  await inSlices(sliceRows, { at: 0, offer_id: '' }, async (place, limit) => {
    const [[all], [last]] = await tx.run(LIST_SLICE, { seller, preset, ...place, limit });
    lines += all?.n ?? 0;
    return { counted: all?.n ?? 0, last: last && { at: last.created_at_us, offer_id: last.offer_id } };
  });
  return lines;
};
type Sales = { readonly n: number; readonly earned: number };
const salesOf = async (
  tx: YdbTx,
  seller: SellerId,
  sliceRows: number,
): Promise<ReadonlyMap<string, Sales>> => {
  const sales = new Map<string, Sales>();
  await inSlices(sliceRows, { offer_id: '' }, async (place, limit) => {
    const [found, [last]] = await tx.run(SALES_SLICE, { seller, ...place, limit });
    for (const { currency, n, earned } of found) {
      const before = sales.get(currency) ?? { n: 0, earned: 0 };
      sales.set(currency, { n: before.n + n, earned: before.earned + earned });
    }
    return { counted: found.reduce((sum, { n }) => sum + n, 0), last };
  });
  return sales;
};

const expiredOf = async (tx: YdbTx, seller: SellerId): Promise<number> => {
  let expired = 0;
  for (let place = { at: 0, offer_id: '' }; ;) {
    const [lines] = await tx.run(INACTIVE, { seller, preset: PRESETS.inactive, ...place });
    const last = lines.at(-1);
    if (!last) return expired;
    const ids = lines.map(({ offer_id }) => offer_id);
    expired += (await tx.run(STATUSES, { ids, status: STATUS_CODES.expired }))[0][0]?.n ?? 0;
    place = { at: last.created_at_us, offer_id: last.offer_id };
  }
};
type Drifts = { readonly repairs: number; readonly found: readonly TotalDrift[] };
/** The sources and the totals as of one moment: a commit moves both, so what differs is drift. */
const driftsOf = async (tx: YdbTx, seller: SellerId, sliceRows: number): Promise<Drifts> => {
  const [known, [epoch]] = await tx.run(TOTAL_SOURCES, { seller });
  const drifts = new Map<string, number>();
  const add = (total: number, currency: string, by: number): void => {
    const key = keyOf(total, currency);
    drifts.set(key, (drifts.get(key) ?? 0) + by);
  };
  const lines = (preset: number): Promise<number> => linesOf(tx, seller, preset, sliceRows);
  for (const { total, currency, value } of known) add(total, currency, value);
  add(TOTALS.Active, '', -(await lines(PRESETS.active)));
  add(TOTALS.Banned, '', -(await lines(PRESETS.banned)));
  add(TOTALS.Expired, '', -(await expiredOf(tx, seller)));
  for (const [currency, { n, earned }] of await salesOf(tx, seller, sliceRows)) {
    add(TOTALS.Sold, '', -n);
    if (currency !== '') add(TOTALS.MoneyEarned, currency, -earned);
  }
  const found = [...drifts].flatMap(([key, drift]) => {
    const [code, currency] = JSON.parse(key) as [number, string];
    const total = totalOf(code);
    return total && drift !== 0 ? [{ total, currency, drift }] : [];
  });
  return { repairs: epoch?.repairs ?? 0, found };
};

/** Takes the drift away as a difference, so that what was committed since stays; false when another repair came first. */
const takeAway = (
  client: YdbClient,
  seller: SellerId,
  { repairs, found }: Drifts,
): ResultAsync<boolean, Unavailable> =>
  client.write('gost.cabinet.repairTotals', async (tx) => {
    const keys = found.map(({ total, currency }) => ({ seller, total: TOTALS[total], currency, seq_no: 0 }));
    const [[epoch], stored] = await tx.run(REPAIRS_READ, { seller, keys });
    if ((epoch?.repairs ?? 0) !== repairs) return false;
    const totals = keys.map((key, i) => {
      const before =
        stored.find((row) => row.total === key.total && row.currency === key.currency)?.value ?? 0;
      return { ...key, value: before - found[i]!.drift };
    });
    await tx.commit(REPAIRS_WRITE, { seller, repairs: repairs + 1, totals });
    return true;
  });
const ATTEMPTS = 5;
const repair = async (
  client: YdbClient,
  seller: SellerId,
  sliceRows: number,
): Promise<Result<readonly TotalDrift[], Unavailable>> => {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const drifts = await client.read('gost.cabinet.drifts', (tx) => driftsOf(tx, seller, sliceRows));
    if (drifts.isErr()) return err(drifts.error);
    if (drifts.value.found.length === 0) return ok([]);
    const done = await takeAway(client, seller, drifts.value);
    if (done.isErr()) return err(done.error);
    if (done.value) return ok(drifts.value.found);
  }
  return err(unavailable('gost.cabinet.repairTotals: others repair the same totals'));
};
/** Looks at one moment, then takes away what was wrong then: writers are not held up however long the look takes. */
export const repairTotals = (
  client: YdbClient,
  seller: SellerId,
  sliceRows: number = SLICE_ROWS,
): ResultAsync<readonly TotalDrift[], Unavailable> => new ResultAsync(repair(client, seller, sliceRows));

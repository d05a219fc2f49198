import type pg from 'pg';
import type { OfferId } from '@doska/core/gost';
import { CTR_ROWS_MAX, type ClickRateStore, type CtrQueue, type CtrStores } from '@doska/core/search';
import { pkHashOf } from '@doska/core/vasgen';
import { guard } from '../driver/guard.ts';

const PUT = `insert into search.click_rate (epoch, hash, offer, ctr)
  select $1, a.* from unnest($2::bigint[], $3::text[], $4::float8[]) a(hash, offer, ctr)
  on conflict (epoch, hash, offer) do update set ctr = excluded.ctr`;
const RATES = `select r.offer, r.ctr from unnest($2::bigint[], $3::text[]) a(hash, offer)
  join search.click_rate r on r.epoch = $1 and r.hash = a.hash and r.offer = a.offer`;
const COUNT = 'select count(*) as count from search.click_rate where epoch = $1';
const NEXT_EPOCH = 'select min(epoch) as epoch from search.click_rate where epoch > $1';
const PURGE = `delete from search.click_rate where (epoch, hash, offer) in (
  select epoch, hash, offer from search.click_rate where epoch = $1 order by hash, offer limit $2)`;
const ADD = `insert into search.ctr_queue (source, hash, offer)
  select $1, a.* from unnest($2::bigint[], $3::text[]) a(hash, offer) on conflict do nothing`;
const NEXT = `select source, offer from search.ctr_queue
  where $1::text is null or (source, hash, offer) > ($1, $2::bigint, $3::text) order by source, hash, offer limit $4`;
const REMOVE = `delete from search.ctr_queue q using unnest($1::text[], $2::bigint[], $3::text[]) a(source, hash, offer)
  where q.source = a.source and q.hash = a.hash and q.offer = a.offer`;
const QUEUED = 'select count(*) as count from search.ctr_queue';

const hashes = (ids: readonly string[]): readonly number[] => ids.map((id) => pkHashOf(id));

const pgClickRates = (pool: pg.Pool): ClickRateStore => ({
  put: (epochMs, rates) =>
    guard('ctr.put', async () => {
      const ids = rates.map(({ offerId }) => offerId);
      await pool.query(PUT, [epochMs, hashes(ids), ids, rates.map(({ ctr }) => ctr)]);
    }),
  rates: (epochMs, ids) =>
    guard('ctr.rates', async () => {
      type Row = { readonly offer: OfferId; readonly ctr: number };
      const { rows } = await pool.query<Row>(RATES, [epochMs, hashes(ids), ids]);
      return new Map(rows.map(({ offer, ctr }) => [offer, ctr]));
    }),
  count: (epochMs) =>
    guard('ctr.count', async () =>
      Number((await pool.query<{ count: string }>(COUNT, [epochMs])).rows[0]!.count),
    ),
  nextEpoch: (afterMs) =>
    guard('ctr.nextEpoch', async () => {
      const { epoch } = (await pool.query<{ epoch: string | null }>(NEXT_EPOCH, [afterMs])).rows[0]!;
      return epoch === null ? undefined : Number(epoch);
    }),
  purge: (epochMs, limit) =>
    guard(
      'ctr.purge',
      async () => (await pool.query(PURGE, [epochMs, Math.min(limit, CTR_ROWS_MAX)])).rowCount ?? 0,
    ),
});

const pgCtrQueue = (pool: pg.Pool): CtrQueue => ({
  add: (table, ids) =>
    guard('ctr.enqueue', async () => {
      await pool.query(ADD, [table, hashes(ids), ids]);
    }),
  next: (after, limit) =>
    guard('ctr.next', async () => {
      const { rows } = await pool.query<{ readonly source: string; readonly offer: OfferId }>(NEXT, [
        after?.table ?? null,
        after ? pkHashOf(after.offerId) : null,
        after?.offerId ?? null,
        Math.min(limit, CTR_ROWS_MAX),
      ]);
      return rows.map(({ source, offer }) => ({ table: source, offerId: offer }));
    }),
  remove: (elements) =>
    guard('ctr.dequeue', async () => {
      const ids = elements.map(({ offerId }) => offerId);
      await pool.query(REMOVE, [elements.map(({ table }) => table), hashes(ids), ids]);
    }),
  count: () =>
    guard('ctr.queued', async () => Number((await pool.query<{ count: string }>(QUEUED)).rows[0]!.count)),
});

/** Click rates and the queue of offers on one database. */
export const pgCtrStores = (pool: pg.Pool): CtrStores => ({
  rates: pgClickRates(pool),
  queue: pgCtrQueue(pool),
});

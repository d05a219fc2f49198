import type pg from 'pg';
import type { OfferId } from '@doska/core/gost';
import { COUNT_ROWS_MAX, HOUR_MS, type ClickCountStore } from '@doska/core/search';
import { guard } from '../driver/guard.ts';

// A row that an update leaves as it is is not returned. xmax is 0 in a row that was inserted. Rows in one order: no deadlock.
const COUNT = `with taken as (
    insert into search.shown as s (shown_ms, query, offer, clicked)
    select * from unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[]) g order by 1, 2, 3
    on conflict (shown_ms, query, offer) do update set clicked = true where excluded.clicked and not s.clicked
    returning shown_ms, offer, clicked, xmax = 0 as is_new
  )
  insert into search.click_count as c (offer, hour, impressions, clicks)
  select offer, shown_ms / ${HOUR_MS}, count(*) filter (where is_new), count(*) filter (where clicked)
  from taken group by 1, 2 order by 1, 2
  on conflict (offer, hour) do update set impressions = c.impressions + excluded.impressions, clicks = c.clicks + excluded.clicks`;
const HOURS = `select hour from generate_series($1::integer, $2::integer - 1) hour
  where exists (select from search.click_count c where c.hour = hour.hour) order by hour`;
const SUMS = `select offer, sum(impressions) as impressions, sum(clicks) as clicks from search.click_count
  where hour >= $1 and hour < $2 and ($3::text is null or offer > $3) group by offer order by offer limit $4`;
const FORGET = `delete from search.shown where (shown_ms, query, offer) in (
  select shown_ms, query, offer from search.shown where shown_ms < $1 order by shown_ms, query, offer limit $2)`;
const PURGE = `delete from search.click_count where (offer, hour) in (
  select offer, hour from search.click_count where hour < $1 order by hour, offer limit $2)`;

/** Impressions and clicks on PostgreSQL. */
export const pgClickCounts = (pool: pg.Pool): ClickCountStore => {
  const deleted = (what: string, sql: string, bound: number, limit: number) =>
    guard(what, async () => (await pool.query(sql, [bound, Math.min(limit, COUNT_ROWS_MAX)])).rowCount ?? 0);
  return {
    count: (shown) =>
      guard('clicks.count', async () => {
        await pool.query(COUNT, [
          shown.map(({ shownAtMs }) => shownAtMs),
          shown.map(({ queryId }) => queryId),
          shown.map(({ offerId }) => offerId),
          shown.map(({ isClicked }) => isClicked),
        ]);
      }),
    hours: ({ from, to }) =>
      guard('clicks.hours', async () => {
        const { rows } = await pool.query<{ readonly hour: number }>(HOURS, [from, to]);
        return rows.map(({ hour }) => hour);
      }),
    sums: ({ from, to }, after, limit) =>
      guard('clicks.sums', async () => {
        type Row = { readonly offer: OfferId; readonly impressions: string; readonly clicks: string };
        const most = Math.min(limit, COUNT_ROWS_MAX);
        const { rows } = await pool.query<Row>(SUMS, [from, to, after ?? null, most]);
        return rows.map(({ offer, impressions, clicks }) => ({
          offerId: offer,
          impressions: Number(impressions),
          clicks: Number(clicks),
        }));
      }),
    forget: (beforeMs, limit) => deleted('clicks.forget', FORGET, beforeMs, limit),
    purge: (beforeHour, limit) => deleted('clicks.purge', PURGE, beforeHour, limit),
  };
};

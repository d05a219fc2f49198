import type pg from 'pg';
import { SEARCHERS_MAX, type SearcherIndex, type SearcherRows } from '@doska/core/vasgen';
import { guard } from '../driver/guard.ts';

const REPORT = `insert into vasgen.searcher (client, searcher, reported_at, indexes) values ($1, $2, clock_timestamp(), $3)
  on conflict (client, searcher) do update set reported_at = clock_timestamp(), indexes = excluded.indexes`;
const LIVE = `select * from (
    select searcher, indexes, greatest(0, extract(epoch from clock_timestamp() - reported_at) * 1000)::bigint as age_ms
    from vasgen.searcher where client = $1) s
  where age_ms < $2 order by searcher limit ${SEARCHERS_MAX}`;
const REMOVE = 'delete from vasgen.searcher where client = $1 and searcher = $2';
const PURGE = `delete from vasgen.searcher where (client, searcher) in (
  select client, searcher from vasgen.searcher
  where client = $1 and clock_timestamp() - reported_at >= make_interval(secs => $2::double precision / 1000)
  order by searcher limit $3)`;

type ReportColumns = {
  readonly searcher: string;
  readonly indexes: readonly SearcherIndex[];
  readonly age_ms: string;
};

export const pgSearcherRows = (pool: pg.Pool): SearcherRows => ({
  report: (client, { searcher, indexes }) =>
    guard('vasgen.reportSearcher', async () => {
      await pool.query(REPORT, [client, searcher, JSON.stringify(indexes)]);
    }),
  live: (client, youngerThanMs) =>
    guard('vasgen.liveSearchers', async () => {
      const { rows } = await pool.query<ReportColumns>(LIVE, [client, youngerThanMs]);
      return rows.map(({ searcher, indexes, age_ms }) => ({ searcher, indexes, ageMs: Number(age_ms) }));
    }),
  remove: (client, searcher) =>
    guard('vasgen.removeSearcher', async () => {
      await pool.query(REMOVE, [client, searcher]);
    }),
  purge: (client, olderThanMs, limit) =>
    guard('vasgen.purgeSearchers', async () => {
      return (await pool.query(PURGE, [client, olderThanMs, limit])).rowCount ?? 0;
    }),
});

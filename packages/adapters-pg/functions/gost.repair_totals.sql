-- Corrects a seller's totals by their sources and returns the drift. One statement reads the sources and the totals, so
-- both are of one moment; a commit moves both, so a difference is drift and never a write in progress. The drift is
-- subtracted, so that later commits stay counted. The lock keeps two repairs from subtracting it twice.
create function gost.repair_totals(of_seller text)
returns table (total smallint, currency text, drift bigint) language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock(hashtextextended('gost.repair_totals/' || of_seller, 0));
  return query
    with expected as (
      -- Statuses 1 active, 3 expired, 6 banned; totals 1 Active, 2 Expired, 3 Banned, 4 Sold, 5 MoneyEarned; preset 1 all.
      select case h.status when 1 then 1 when 3 then 2 when 6 then 3 end as total, '' as currency, count(*) as value
        from gost.user_offer_presets l join gost.offer h on h.id = l.offer_id and h.kind = 0
        where l.seller = of_seller and l.preset = 1 and h.status in (1, 3, 6) group by 1
      union all select 4, '', count(*) from gost.sale s where s.seller = of_seller
      union all select 5, s.currency, sum(s.earned) from gost.sale s where s.seller = of_seller and s.currency <> '' group by s.currency),
    drifted as (
      select d.total::smallint as total, d.currency collate "C" as currency, sum(d.value)::bigint as drift from (
        select e.total, e.currency, -e.value as value from expected e
        union all select t.total, t.currency, t.value from gost.user_total_counters t where t.seller = of_seller) d
      group by 1, 2 having sum(d.value) <> 0),
    corrected as (
      insert into gost.user_total_counters as c (seller, total, currency, seq_no, value)
        select of_seller, d.total, d.currency, 0, -d.drift from drifted d order by 2, 3
        on conflict (seller, total, currency, seq_no) do update set value = c.value + excluded.value)
    select d.total, d.currency, d.drift from drifted d order by 1, 2;
end $$;

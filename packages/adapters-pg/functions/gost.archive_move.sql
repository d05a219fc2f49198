-- Moves offers into a segment, all or none. Returns the offers that are not at the expected version, or all of them if
-- the segment is condemned; then nothing was moved. The lock order is that of gost.commit, and so is the care for a
-- running repair of counts.
create function gost.archive_move({{parameters}})
returns text[] language plpgsql set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  refused text[];
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'gost.archive_move needs read committed';
  end if;
  perform gost.lock_segment(to_segment);
  if exists (select from gost.archive_condemned c where c.segment = to_segment) then
    return offers_id;
  end if;
  perform from gost.offer where id = any(offers_id) and kind = 0 order by id for update;
  select coalesce(array_agg(offers.id), '{}') into refused from {{offers: id, expected_version}}
    left join gost.offer h on h.id = offers.id and h.kind = 0 where h.version is distinct from offers.expected_version;
  if cardinality(refused) > 0 then
    return refused;
  end if;

  delete from gost.offer where id = any(offers_id);
  delete from gost.offer_history where offer_id = any(offers_id);
  if cardinality(lines_seller) > 0 then
    delete from gost.user_offer_presets l using {{lines: seller, preset, created_at_us, offer_id}}
      where l.seller = lines.seller and l.preset = lines.preset
        and l.created_at_us = lines.created_at_us and l.offer_id = lines.offer_id;
    insert into gost.user_offer_presets_count as c (seller, preset, counter)
      select lines.seller, lines.preset, -count(*) from {{lines: seller, preset}}
      group by lines.seller, lines.preset order by lines.seller collate "C", lines.preset
      on conflict (seller, preset) do update set
        counter = c.counter + excluded.counter,
        repair_partial = case when c.repair_at_us is null then 0 else c.repair_partial - (
          select count(*) from {{lines: seller, preset, created_at_us, offer_id}}
          where lines.seller = c.seller and lines.preset = c.preset
            and (lines.created_at_us, lines.offer_id collate "C") >= (c.repair_at_us, c.repair_offer_id)) end;
  end if;
  if cardinality(totals_seller) > 0 then
    insert into gost.user_total_counters as c (seller, total, currency, seq_no, value)
      select totals.seller, totals.total, totals.currency, totals.seq_no, sum(totals.change)
      from {{totals: seller, total, currency, seq_no, change}}
      group by 1, 2, 3, 4
      order by totals.seller collate "C", totals.total, totals.currency collate "C", totals.seq_no
      on conflict (seller, total, currency, seq_no) do update set value = c.value + excluded.value;
  end if;
  delete from gost.timer x using {{timers: what, shard, at_us, offer_id}}
    where x.what = timers.what and x.shard = timers.shard and x.at_us = timers.at_us and x.offer_id = timers.offer_id;
  insert into gost.archive (offer_id, seller, version, segment, at_offset, length, archived_at_us)
    select offers.id, offers.seller, offers.expected_version, to_segment,
      offers.segment_offset, offers.segment_length, moved_at_us
    from {{offers: id, seller, expected_version, segment_offset, segment_length}} order by offers.id;
  return '{}';
end $$;

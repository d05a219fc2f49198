-- Points all pointers of the old segment into the new one and condemns the old one. Returns false, and changes nothing,
-- if the pointers of the old segment are not exactly the given ones or the new segment is condemned.
create function gost.archive_rewrite({{parameters}})
returns boolean language plpgsql set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform gost.lock_segment(s) from unnest(array[old_segment, new_segment]) s order by s;
  if exists (select from gost.archive_condemned c where c.segment = new_segment) then
    return false;
  end if;
  perform from gost.archive where segment = old_segment order by offer_id for update;
  if exists (
      select from {{offers: id}} left join gost.archive p on p.offer_id = offers.id and p.segment = old_segment
      where p.offer_id is null)
    or (select count(*) from gost.archive p where p.segment = old_segment) <> coalesce(cardinality(offers_id), 0) then
    return false;
  end if;
  update gost.archive p set segment = new_segment, version = offers.version,
      at_offset = offers.segment_offset, length = offers.segment_length
    from {{offers: id, version, segment_offset, segment_length}} where p.offer_id = offers.id;
  insert into gost.queue (shard, at_us, topic, key, id, value)
    select queue.shard, queue.at_us, queue.topic, queue.key, queue.id,
      substring(frame from queue.value_start for queue.value_length)
    from {{queue: shard, at_us, topic, key, id, value}};
  insert into gost.archive_condemned (segment) values (old_segment) on conflict (segment) do update set deleted = false;
  return true;
end $$;

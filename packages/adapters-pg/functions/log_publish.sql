-- Appends one group of records to each partition. Groups stand in ascending (topic, partition) order; their bytes are
-- slices of one frame, and `starts` count from 1. Returns the last offset of each group; null if another transaction
-- holds the lock of the partition (only without `wait`; nothing was stored for that group); -1 if the topic is deleted.
--
-- The lock and the read of the last offset are two statements, because the snapshot of a statement is older than the
-- lock it waits for. Under REPEATABLE READ even that does not help, so it is refused.
create function log_publish(
  wait boolean, topics integer[], parts integer[], counts integer[], starts integer[], lengths integer[], frame bytea)
returns bigint[] language plpgsql set plan_cache_mode = force_generic_plan
-- The plan is kept: one made while the table was empty must still be good when the table is large.
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  locked boolean[] := '{}';
  answer bigint[] := '{}';
  last bigint;
  topic_exists boolean;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise 'log_publish needs READ COMMITTED' using errcode = '25001';
  end if;
  for i in 1..cardinality(topics) loop
    if wait then
      perform pg_advisory_xact_lock(7101, topics[i] * 1024 + parts[i]);
      locked := locked || true;
    else
      locked := locked || pg_try_advisory_xact_lock(7101, topics[i] * 1024 + parts[i]);
    end if;
  end loop;
  for i in 1..cardinality(topics) loop
    if i = 1 or topics[i] <> topics[i - 1] then -- once a topic: deleting it needs the locks that are held here
      topic_exists := exists (select from log_topic where id = topics[i]);
    end if;
    if not locked[i] then
      answer := answer || null::bigint;
    elsif not topic_exists then
      answer := answer || -1::bigint;
    else
      select b.last_off into last from log_batch b
        where b.topic = topics[i] and b.part = parts[i] order by b.last_off desc limit 1;
      last := coalesce(last, -1) + counts[i];
      insert into log_batch (topic, part, last_off, n, data)
        values (topics[i], parts[i], last, counts[i], substring(frame from starts[i] for lengths[i]));
      answer := answer || last;
    end if;
  end loop;
  return answer;
end $$;

-- Deletes a topic with its records. Takes the lock of every partition first, so that a publisher that waits for one
-- finds the topic deleted instead of writing into it.
create function log_delete_topic(topic_name text) returns void language plpgsql as $$
declare
  t log_topic;
begin
  select * into t from log_topic where name = topic_name;
  if not found then return; end if;
  for p in 0..t.partitions - 1 loop
    perform pg_advisory_xact_lock(7101, t.id * 1024 + p);
  end loop;
  delete from log_batch where topic = t.id;
  delete from log_topic where id = t.id;
end $$;

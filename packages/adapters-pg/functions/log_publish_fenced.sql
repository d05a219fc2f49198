-- log_publish behind a fence: the (token, sequence) of a resource only grow. `highest` is the highest token so far.
create function log_publish_fenced(
  for_resource text, new_token bigint, new_sequence bigint,
  topics integer[], parts integer[], counts integer[], starts integer[], lengths integer[], frame bytea,
  out verdict text, out highest bigint, out answer bigint[]
) language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  last_sequence bigint;
begin
  insert into log_fence (resource, token, sequence) values (for_resource, 0, 0) on conflict do nothing;
  select f.token, f.sequence into highest, last_sequence from log_fence f where f.resource = for_resource for update;
  if new_token < highest then
    verdict := 'fenced';
  elsif new_token = highest and new_sequence <= last_sequence then
    verdict := 'repeated';
  else
    update log_fence f set token = new_token, sequence = new_sequence where f.resource = for_resource;
    answer := log_publish(true, topics, parts, counts, starts, lengths, frame);
    -- All or nothing: if the sequence were kept although nothing was stored, a resend would look like a repeat.
    if -1 = any (answer) then
      raise 'a topic is gone' using errcode = 'DL001';
    end if;
    verdict := 'stored';
  end if;
end $$;

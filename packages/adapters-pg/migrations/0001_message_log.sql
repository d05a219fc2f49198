-- The message log: one row per (partition, batch), appended only, so that a held snapshot costs nothing.

-- Names this log for ever: positions carry it, so that a position of another database is never taken for one of ours.
create table log_identity (
  one boolean primary key default true check (one),
  id uuid not null default gen_random_uuid()
);
insert into log_identity default values;

create table log_topic (
  id integer generated always as identity primary key,
  name text collate "C" not null unique check (name ~ '^[A-Za-z0-9._-]{1,249}$'),
  partitions integer not null check (partitions between 1 and 1024),
  -- Drawn when the topic is made: a topic that was deleted and made again is another one.
  incarnation uuid not null default gen_random_uuid(),
  retention_ms bigint not null,
  record_bytes_max integer not null
);

-- Holds the offsets last_off - n + 1 .. last_off. Offsets have no gaps.
create table log_batch (
  topic integer not null,
  part integer not null,
  last_off bigint not null,
  n integer not null,
  ts timestamptz not null default clock_timestamp(),
  data bytea not null,
  primary key (topic, part, last_off)
);
-- Compressing is the publisher's business; trying again here only costs time.
alter table log_batch alter data set storage external;

-- fillfactor: positions are updated in place all day (HOT), a page must have room for the next version.
create table log_position (
  grp text collate "C" not null,
  topic integer not null references log_topic (id) on delete cascade,
  part integer not null,
  pos bigint not null,
  token bigint not null,
  primary key (grp, topic, part)
) with (fillfactor = 50);

create table log_fence (
  resource text collate "C" primary key,
  token bigint not null,
  sequence bigint not null
) with (fillfactor = 50);

-- Appends one group of records per partition; groups stand in ascending (topic, partition) order, and their bytes are
-- slices of one frame. Answers a group's last offset, null where the partition is locked by somebody else (only
-- without `wait`; nothing was stored for it), -1 where the topic is gone.
--
-- The lock and the look at the last offset must be two statements: a statement's snapshot is older than the lock it
-- waits for. Under REPEATABLE READ even that does not help, hence the guard.
create function log_publish(wait boolean, gt integer[], gp integer[], gn integer[], go integer[], gl integer[], frame bytea)
returns bigint[] language plpgsql set plan_cache_mode = force_generic_plan
-- The plan is kept: one made while the table was empty must be right when it is large.
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  locked boolean[] := '{}';
  answer bigint[] := '{}';
  last bigint;
  stands boolean;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise 'log_publish needs READ COMMITTED' using errcode = '25001';
  end if;
  for i in 1..cardinality(gp) loop
    if wait then
      perform pg_advisory_xact_lock(7101, gt[i] * 1024 + gp[i]);
      locked := locked || true;
    else
      locked := locked || pg_try_advisory_xact_lock(7101, gt[i] * 1024 + gp[i]);
    end if;
  end loop;
  for i in 1..cardinality(gp) loop
    if i = 1 or gt[i] <> gt[i - 1] then -- once a topic: whoever deletes it needs the locks that are held here
      stands := exists (select from log_topic where id = gt[i]);
    end if;
    if not locked[i] then
      answer := answer || null::bigint;
    elsif not stands then
      answer := answer || -1::bigint;
    else
      select b.last_off into last from log_batch b
        where b.topic = gt[i] and b.part = gp[i] order by b.last_off desc limit 1;
      last := coalesce(last, -1) + gn[i];
      insert into log_batch (topic, part, last_off, n, data)
        values (gt[i], gp[i], last, gn[i], substring(frame from go[i] for gl[i]));
      answer := answer || last;
    end if;
  end loop;
  return answer;
end $$;

-- The same behind a fence: (token, sequence) of a resource only ever grow. `highest` is the token that stands in the way.
create function log_publish_fenced(
  r text, t bigint, s bigint, gt integer[], gp integer[], gn integer[], go integer[], gl integer[], frame bytea,
  out verdict text, out highest bigint, out answer bigint[]
) language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  seen bigint;
begin
  insert into log_fence (resource, token, sequence) values (r, 0, 0) on conflict do nothing;
  select f.token, f.sequence into highest, seen from log_fence f where f.resource = r for update;
  if t < highest then
    verdict := 'fenced';
  elsif t = highest and s <= seen then
    verdict := 'repeated';
  else
    update log_fence f set token = t, sequence = s where f.resource = r;
    answer := log_publish(true, gt, gp, gn, go, gl, frame);
    -- All or nothing: a sequence that was noted although nothing was stored would make its resend look like a repeat.
    if -1 = any (answer) then
      raise 'a topic is gone' using errcode = 'DL001';
    end if;
    verdict := 'stored';
  end if;
end $$;

-- Takes every partition's lock first: a publisher that waits behind it finds the topic gone instead of writing into it.
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

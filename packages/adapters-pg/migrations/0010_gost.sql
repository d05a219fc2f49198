-- The offer store. Everything that one commit of an offer makes true together is written by gost.commit, in one trip.
create schema gost;

-- One row an offer: what is checked and locked. The bodies of its kinds stand beside it.
create table gost.offer_head (
  id text collate "C" primary key,
  seller text collate "C" not null,
  version bigint not null,
  updated_at_us bigint not null,
  status smallint not null
) with (fillfactor = 80);
create table gost.offer (
  id text collate "C" not null,
  kind smallint not null, -- 1: the offer itself
  body bytea not null,
  primary key (id, kind)
) with (fillfactor = 80);
-- Compressing is the codec's business.
alter table gost.offer alter body set storage external;

create table gost.offer_history (
  offer_id text collate "C" not null,
  version bigint not null,
  body bytea not null,
  primary key (offer_id, version)
);

-- Lists are read newest first: this index backwards.
create table gost.user_offer_presets (
  seller text collate "C" not null,
  preset smallint not null,
  created_at_us bigint not null,
  offer_id text collate "C" not null,
  primary key (seller, preset, created_at_us, offer_id)
);
-- While a repair runs, (repair_at_us, repair_offer_id) is the last line it has counted, going downward.
create table gost.user_offer_presets_count (
  seller text collate "C" not null,
  preset smallint not null,
  counter bigint not null,
  repair_at_us bigint,
  repair_offer_id text collate "C",
  repair_partial bigint not null default 0,
  primary key (seller, preset)
) with (fillfactor = 50);
create table gost.user_total_counters (
  seller text collate "C" not null,
  total smallint not null,
  currency text collate "C" not null,
  seq_no smallint not null,
  value bigint not null,
  primary key (seller, total, currency, seq_no)
) with (fillfactor = 50);

create table gost.queue (
  shard integer not null,
  at_us bigint not null,
  topic text collate "C" not null,
  key text collate "C" not null,
  value bytea not null,
  primary key (shard, at_us, topic, key)
);
alter table gost.queue alter value set storage external;
create table gost.expiry (
  shard integer not null,
  expires_at_us bigint not null,
  offer_id text collate "C" not null,
  primary key (shard, expires_at_us, offer_id)
);
create table gost.setting (
  one boolean primary key default true check (one),
  shards integer not null
);

-- A slot is never deleted: its version counts on, so that what was seen of it can't come back.
create table gost.current_draft (
  owner_kind smallint not null, -- 1: user, 2: anonymous
  owner_id text collate "C" not null,
  version bigint not null,
  draft_id text collate "C",
  primary key (owner_kind, owner_id)
) with (fillfactor = 80);
create table gost.draft (
  id text collate "C" primary key,
  body bytea, -- null once it is published
  offer_id text collate "C",
  published_at_us bigint
);

-- Commits units, each all or none; answers the numbers of those that were refused. No unit of a call names an offer or
-- a slot of another. Bytes are slices (offset, length) of one frame.
--
-- Locks are taken in one order by everybody: heads by id, slots, counts, totals. The lock and the look at what it
-- guards are two statements: a statement's snapshot is older than the lock it waits for. Hence READ COMMITTED only.
--
-- Every row is found by its key. Plans are made once a connection, maybe while the tables are still empty: left to
-- itself the planner then scans them for ever (a commit took 69 ms instead of 1 ms after 300 000 rows had come).
create function gost.commit(
  o_unit integer[], o_id text[], o_seen bigint[], o_version bigint[], o_seller text[], o_at bigint[], o_status smallint[],
  o_off integer[], o_len integer[], h_off integer[], h_len integer[],
  p_unit integer[], p_seller text[], p_preset smallint[], p_at bigint[], p_offer text[], p_by smallint[],
  t_unit integer[], t_seller text[], t_total smallint[], t_currency text[], t_seq smallint[], t_by bigint[],
  q_unit integer[], q_shard integer[], q_at bigint[], q_topic text[], q_key text[], q_off integer[], q_len integer[],
  e_unit integer[], e_shard integer[], e_at bigint[], e_offer text[], e_by smallint[],
  s_unit integer[], s_kind smallint[], s_owner text[], s_seen bigint[], s_draft text[], s_off integer[], s_len integer[],
  x_unit integer[], x_draft text[], b_unit integer[], b_draft text[], b_offer text[], b_at bigint[],
  frame bytea)
returns integer[] language plpgsql set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  refused integer[] := '{}';
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'gost.commit needs read committed';
  end if;

  -- A new row to lock; version 0 is "not there", and nobody else sees it before the commit.
  if 0 = any(o_seen) then
    insert into gost.offer_head (id, seller, version, updated_at_us, status)
      select o.id, o.seller, 0, 0, 0 from unnest(o_id, o_seen, o_seller) o(id, seen, seller) where o.seen = 0 order by o.id
      on conflict (id) do nothing;
  end if;
  perform from gost.offer_head where id = any(o_id) order by id for update;
  if 0 = any(s_seen) then
    insert into gost.current_draft (owner_kind, owner_id, version)
      select s.kind, s.owner, 0 from unnest(s_kind, s_owner, s_seen) s(kind, owner, seen) where s.seen = 0 order by 1, 2
      on conflict (owner_kind, owner_id) do nothing;
  end if;
  if cardinality(s_unit) > 0 then
    perform from gost.current_draft c join unnest(s_kind, s_owner) s(kind, owner) on c.owner_kind = s.kind and c.owner_id = s.owner
      order by c.owner_kind, c.owner_id for update of c;
  end if;

  -- Who survives is settled here; everything below asks this set.
  select coalesce(array_agg(distinct d.unit), '{}') into refused from (
    select o.unit from unnest(o_unit, o_id, o_seen) o(unit, id, seen) left join gost.offer_head h on h.id = o.id
      where h.version is distinct from o.seen
    union all
    select s.unit from unnest(s_unit, s_kind, s_owner, s_seen) s(unit, kind, owner, seen)
      left join gost.current_draft c on c.owner_kind = s.kind and c.owner_id = s.owner where c.version is distinct from s.seen) d;
  if cardinality(refused) > 0 then
    delete from gost.offer_head h using unnest(o_unit, o_id) o(unit, id)
      where h.id = o.id and h.version = 0 and o.unit = any(refused);
    delete from gost.current_draft c using unnest(s_unit, s_kind, s_owner) s(unit, kind, owner)
      where c.owner_kind = s.kind and c.owner_id = s.owner and c.version = 0 and s.unit = any(refused);
  end if;

  update gost.offer_head h set version = o.version, updated_at_us = o.at, status = o.status
    from unnest(o_unit, o_id, o_version, o_at, o_status) o(unit, id, version, at, status)
    where h.id = o.id and o.unit <> all(refused);
  insert into gost.offer (id, kind, body)
    select o.id, 1, substring(frame from o.off + 1 for o.len) from unnest(o_unit, o_id, o_off, o_len) o(unit, id, off, len)
    where o.unit <> all(refused) order by o.id
    on conflict (id, kind) do update set body = excluded.body;
  insert into gost.offer_history (offer_id, version, body)
    select o.id, o.version, substring(frame from o.off + 1 for o.len)
    from unnest(o_unit, o_id, o_version, h_off, h_len) o(unit, id, version, off, len) where o.unit <> all(refused);

  if cardinality(p_unit) > 0 then
    delete from gost.user_offer_presets l using unnest(p_unit, p_seller, p_preset, p_at, p_offer, p_by) p(unit, seller, preset, at, offer, by)
      where p.by < 0 and p.unit <> all(refused) and l.seller = p.seller and l.preset = p.preset
        and l.created_at_us = p.at and l.offer_id = p.offer;
    insert into gost.user_offer_presets (seller, preset, created_at_us, offer_id)
      select p.seller, p.preset, p.at, p.offer from unnest(p_unit, p_seller, p_preset, p_at, p_offer, p_by) p(unit, seller, preset, at, offer, by)
      where p.by > 0 and p.unit <> all(refused);
    -- Also when the sum is 0: a line that a running repair has passed and one it has not may both move.
    insert into gost.user_offer_presets_count as c (seller, preset, counter)
      select p.seller, p.preset, sum(p.by) from unnest(p_unit, p_seller, p_preset, p_by) p(unit, seller, preset, by)
      where p.unit <> all(refused) group by p.seller, p.preset order by p.seller collate "C", p.preset
      on conflict (seller, preset) do update set
        counter = c.counter + excluded.counter,
        repair_partial = case when c.repair_at_us is null then 0 else c.repair_partial + coalesce((
          select sum(p.by) from unnest(p_unit, p_seller, p_preset, p_at, p_offer, p_by) p(unit, seller, preset, at, offer, by)
          where p.unit <> all(refused) and p.seller = c.seller and p.preset = c.preset
            and (p.at, p.offer collate "C") >= (c.repair_at_us, c.repair_offer_id)), 0) end;
  end if;
  if cardinality(t_unit) > 0 then
    insert into gost.user_total_counters as c (seller, total, currency, seq_no, value)
      select t.seller, t.total, t.currency, t.seq, sum(t.by) from unnest(t_unit, t_seller, t_total, t_currency, t_seq, t_by) t(unit, seller, total, currency, seq, by)
      where t.unit <> all(refused) group by 1, 2, 3, 4 order by t.seller collate "C", t.total, t.currency collate "C", t.seq
      on conflict (seller, total, currency, seq_no) do update set value = c.value + excluded.value;
  end if;

  insert into gost.queue (shard, at_us, topic, key, value)
    select q.shard, q.at, q.topic, q.key, substring(frame from q.off + 1 for q.len)
    from unnest(q_unit, q_shard, q_at, q_topic, q_key, q_off, q_len) q(unit, shard, at, topic, key, off, len) where q.unit <> all(refused);
  if cardinality(e_unit) > 0 then
    delete from gost.expiry x using unnest(e_unit, e_shard, e_at, e_offer, e_by) e(unit, shard, at, offer, by)
      where e.by < 0 and e.unit <> all(refused) and x.shard = e.shard and x.expires_at_us = e.at and x.offer_id = e.offer;
    insert into gost.expiry (shard, expires_at_us, offer_id)
      select e.shard, e.at, e.offer from unnest(e_unit, e_shard, e_at, e_offer, e_by) e(unit, shard, at, offer, by)
      where e.by > 0 and e.unit <> all(refused);
  end if;

  if cardinality(s_unit) > 0 then
    update gost.current_draft c set version = s.seen + 1, draft_id = s.draft
      from unnest(s_unit, s_kind, s_owner, s_seen, s_draft) s(unit, kind, owner, seen, draft)
      where c.owner_kind = s.kind and c.owner_id = s.owner and s.unit <> all(refused);
    insert into gost.draft (id, body)
      select s.draft, substring(frame from s.off + 1 for s.len) from unnest(s_unit, s_draft, s_off, s_len) s(unit, draft, off, len)
      where s.draft is not null and s.unit <> all(refused) order by 1
      on conflict (id) do update set body = excluded.body;
    delete from gost.draft d using unnest(x_unit, x_draft) x(unit, draft) where d.id = x.draft and x.unit <> all(refused);
    update gost.draft d set body = null, offer_id = b.offer, published_at_us = b.at
      from unnest(b_unit, b_draft, b_offer, b_at) b(unit, draft, offer, at) where d.id = b.draft and b.unit <> all(refused);
  end if;
  return refused;
end $$;

-- One step of a repair: the lock first, then the count, as two statements. A writer has committed before the lock, and
-- the count sees its line; or it waits for the lock, and sees the new place of the cursor.
create function gost.repair_step(of_seller text, of_preset smallint, most integer)
returns table (done boolean, counted bigint, drift bigint) language plpgsql
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  c gost.user_offer_presets_count;
  n bigint;
  last_at bigint;
  last_offer text;
  last_one boolean;
begin
  select * into c from gost.user_offer_presets_count where seller = of_seller and preset = of_preset for update;
  if not found then
    return query select true, 0::bigint, 0::bigint;
    return;
  end if;
  with lines as (
    select l.created_at_us, l.offer_id from gost.user_offer_presets l
    where l.seller = of_seller and l.preset = of_preset
      and (l.created_at_us, l.offer_id) < (coalesce(c.repair_at_us, 9223372036854775807), coalesce(c.repair_offer_id, ''))
    order by l.created_at_us desc, l.offer_id desc limit most)
  select count(*), min(l.created_at_us), (select f.offer_id from lines f order by f.created_at_us, f.offer_id limit 1)
    into n, last_at, last_offer from lines l;
  last_one := n < most;
  n := n + case when c.repair_at_us is null then 0 else c.repair_partial end;
  if last_one then
    update gost.user_offer_presets_count set counter = n, repair_at_us = null, repair_offer_id = null, repair_partial = 0
      where seller = of_seller and preset = of_preset;
    return query select true, n, c.counter - n;
  else
    update gost.user_offer_presets_count set repair_at_us = last_at, repair_offer_id = last_offer, repair_partial = n
      where seller = of_seller and preset = of_preset;
    return query select false, n, 0::bigint;
  end if;
end $$;

-- An offer's head and bodies in one table; sales; what finds abandoned drafts; totals set right by their sources.
-- Nothing had been written to the tables of 0010 yet by any app, so the ones that change are made anew.
drop function gost.commit;
drop table gost.offer_head, gost.offer;

-- Kind 0 is the head: it is what is checked and locked, and every change rewrites it. The bodies beside it (1: content,
-- 2: moderation, 3: images) are rewritten only by what changes them.
create table gost.offer (
  id text collate "C" not null,
  kind smallint not null,
  version bigint, -- of a head
  seller text collate "C", -- of a head
  hash bigint, -- of a head: the upper half of its id's XXH64
  status smallint, -- of a head
  body bytea not null,
  primary key (id, kind)
) with (fillfactor = 80);
-- Compressing is the codec's business.
alter table gost.offer alter body set storage external;
create index offer_by_hash on gost.offer (hash, id) where kind = 0;
create index offer_by_seller on gost.offer (seller, id) where kind = 0;

-- One line an offer that was ever sold on the platform: what Sold and MoneyEarned are the sums of.
create table gost.sale (
  seller text collate "C" not null,
  offer_id text collate "C" not null,
  currency text collate "C" not null, -- empty: it had no price
  earned bigint not null,
  primary key (seller, offer_id)
);

-- Records of one key and moment are told apart by an id.
alter table gost.queue add id text collate "C" not null default '', drop constraint queue_pkey;
alter table gost.queue add primary key (shard, at_us, topic, key, id);

-- What feeds have brought, and where each stands: the progress is what is checked and locked.
create table gost.feed_progress (
  seller text collate "C" not null,
  namespace text collate "C" not null,
  version bigint not null,
  body bytea not null,
  primary key (seller, namespace)
) with (fillfactor = 50);
create table gost.feed (
  seller text collate "C" not null,
  namespace text collate "C" not null,
  external_id text collate "C" not null,
  task bigint not null,
  removed_at_us bigint,
  body bytea not null,
  primary key (seller, namespace, external_id)
) with (fillfactor = 80);
create index feed_by_task on gost.feed (seller, namespace, task) where removed_at_us is null;
create index feed_removed on gost.feed (removed_at_us) where removed_at_us is not null;

alter table gost.current_draft add saved_at_us bigint not null default 0;
create index current_draft_abandoned on gost.current_draft (saved_at_us) where owner_kind = 2 and draft_id is not null;
create index draft_published on gost.draft (published_at_us) where published_at_us is not null;

-- Commits units, each all or none; answers the numbers of those that were refused. No unit of a call names an offer, a
-- slot or a feed of another. Bytes are slices (offset, length) of one frame.
--
-- Locks are taken in one order by everybody: heads by id, slots, feeds, counts, totals. The lock and the look at what it
-- guards are two statements: a statement's snapshot is older than the lock it waits for. Hence READ COMMITTED only.
--
-- Every row is found by its key. Plans are made once a connection, maybe while the tables are still empty: left to
-- itself the planner then scans them for ever (a commit took 69 ms instead of 1 ms after 300 000 rows had come).
create function gost.commit(
  o_unit integer[], o_id text[], o_seen bigint[], o_version bigint[], o_seller text[], o_hash bigint[], o_status smallint[],
  o_off integer[], o_len integer[], h_off integer[], h_len integer[],
  k_unit integer[], k_id text[], k_kind smallint[], k_off integer[], k_len integer[],
  p_unit integer[], p_seller text[], p_preset smallint[], p_at bigint[], p_offer text[], p_by smallint[],
  m_unit integer[], m_seller text[], m_offer text[], m_currency text[], m_earned bigint[],
  t_unit integer[], t_seller text[], t_total smallint[], t_currency text[], t_seq smallint[], t_by bigint[],
  q_unit integer[], q_shard integer[], q_at bigint[], q_topic text[], q_key text[], q_id text[], q_off integer[], q_len integer[],
  e_unit integer[], e_shard integer[], e_at bigint[], e_offer text[], e_by smallint[],
  s_unit integer[], s_kind smallint[], s_owner text[], s_seen bigint[], s_draft text[], s_at bigint[], s_off integer[], s_len integer[],
  x_unit integer[], x_draft text[], b_unit integer[], b_draft text[], b_offer text[], b_at bigint[],
  f_unit integer[], f_seller text[], f_namespace text[], f_seen bigint[], f_off integer[], f_len integer[],
  r_unit integer[], r_seller text[], r_namespace text[], r_external text[], r_task bigint[], r_removed bigint[], r_off integer[], r_len integer[],
  d_unit integer[], d_seller text[], d_namespace text[], d_external text[],
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
    insert into gost.offer (id, kind, version, status, seller, hash, body)
      select o.id, 0, 0, 0, o.seller, o.hash, '' from unnest(o_id, o_seen, o_seller, o_hash) o(id, seen, seller, hash) where o.seen = 0 order by o.id
      on conflict (id, kind) do nothing;
  end if;
  perform from gost.offer where id = any(o_id) and kind = 0 order by id for update;
  if 0 = any(s_seen) then
    insert into gost.current_draft (owner_kind, owner_id, version)
      select s.kind, s.owner, 0 from unnest(s_kind, s_owner, s_seen) s(kind, owner, seen) where s.seen = 0 order by 1, 2
      on conflict (owner_kind, owner_id) do nothing;
  end if;
  if cardinality(s_unit) > 0 then
    perform from gost.current_draft c join unnest(s_kind, s_owner) s(kind, owner) on c.owner_kind = s.kind and c.owner_id = s.owner
      order by c.owner_kind, c.owner_id for update of c;
  end if;
  if cardinality(f_unit) > 0 then
    insert into gost.feed_progress (seller, namespace, version, body)
      select f.seller, f.namespace, 0, '' from unnest(f_seller, f_namespace, f_seen) f(seller, namespace, seen) where f.seen = 0 order by 1, 2
      on conflict (seller, namespace) do nothing;
    perform from gost.feed_progress p join unnest(f_seller, f_namespace) f(seller, namespace) on p.seller = f.seller and p.namespace = f.namespace
      order by p.seller, p.namespace for update of p;
  end if;

  -- Who survives is settled here; everything below asks this set.
  select coalesce(array_agg(distinct d.unit), '{}') into refused from (
    select o.unit from unnest(o_unit, o_id, o_seen) o(unit, id, seen) left join gost.offer h on h.id = o.id and h.kind = 0
      where h.version is distinct from o.seen
    union all
    select s.unit from unnest(s_unit, s_kind, s_owner, s_seen) s(unit, kind, owner, seen)
      left join gost.current_draft c on c.owner_kind = s.kind and c.owner_id = s.owner where c.version is distinct from s.seen
    union all
    select f.unit from unnest(f_unit, f_seller, f_namespace, f_seen) f(unit, seller, namespace, seen)
      left join gost.feed_progress p on p.seller = f.seller and p.namespace = f.namespace where p.version is distinct from f.seen) d;
  if cardinality(refused) > 0 then
    delete from gost.offer h using unnest(o_unit, o_id) o(unit, id)
      where h.id = o.id and h.kind = 0 and h.version = 0 and o.unit = any(refused);
    delete from gost.current_draft c using unnest(s_unit, s_kind, s_owner) s(unit, kind, owner)
      where c.owner_kind = s.kind and c.owner_id = s.owner and c.version = 0 and s.unit = any(refused);
    delete from gost.feed_progress p using unnest(f_unit, f_seller, f_namespace) f(unit, seller, namespace)
      where p.seller = f.seller and p.namespace = f.namespace and p.version = 0 and f.unit = any(refused);
  end if;

  update gost.offer h set version = o.version, status = o.status, body = substring(frame from o.off + 1 for o.len)
    from unnest(o_unit, o_id, o_version, o_status, o_off, o_len) o(unit, id, version, status, off, len)
    where h.id = o.id and h.kind = 0 and o.unit <> all(refused);
  if cardinality(k_unit) > 0 then
    insert into gost.offer (id, kind, body)
      select k.id, k.kind, substring(frame from k.off + 1 for k.len) from unnest(k_unit, k_id, k_kind, k_off, k_len) k(unit, id, kind, off, len)
      where k.unit <> all(refused) order by k.id, k.kind
      on conflict (id, kind) do update set body = excluded.body;
  end if;
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
  if cardinality(m_unit) > 0 then
    insert into gost.sale (seller, offer_id, currency, earned)
      select m.seller, m.offer, m.currency, m.earned from unnest(m_unit, m_seller, m_offer, m_currency, m_earned) m(unit, seller, offer, currency, earned)
      where m.unit <> all(refused);
  end if;
  if cardinality(t_unit) > 0 then
    insert into gost.user_total_counters as c (seller, total, currency, seq_no, value)
      select t.seller, t.total, t.currency, t.seq, sum(t.by) from unnest(t_unit, t_seller, t_total, t_currency, t_seq, t_by) t(unit, seller, total, currency, seq, by)
      where t.unit <> all(refused) group by 1, 2, 3, 4 order by t.seller collate "C", t.total, t.currency collate "C", t.seq
      on conflict (seller, total, currency, seq_no) do update set value = c.value + excluded.value;
  end if;

  insert into gost.queue (shard, at_us, topic, key, id, value)
    select q.shard, q.at, q.topic, q.key, q.id, substring(frame from q.off + 1 for q.len)
    from unnest(q_unit, q_shard, q_at, q_topic, q_key, q_id, q_off, q_len) q(unit, shard, at, topic, key, id, off, len) where q.unit <> all(refused);
  if cardinality(e_unit) > 0 then
    delete from gost.expiry x using unnest(e_unit, e_shard, e_at, e_offer, e_by) e(unit, shard, at, offer, by)
      where e.by < 0 and e.unit <> all(refused) and x.shard = e.shard and x.expires_at_us = e.at and x.offer_id = e.offer;
    insert into gost.expiry (shard, expires_at_us, offer_id)
      select e.shard, e.at, e.offer from unnest(e_unit, e_shard, e_at, e_offer, e_by) e(unit, shard, at, offer, by)
      where e.by > 0 and e.unit <> all(refused);
  end if;

  if cardinality(s_unit) > 0 then
    update gost.current_draft c set version = s.seen + 1, draft_id = s.draft, saved_at_us = s.at
      from unnest(s_unit, s_kind, s_owner, s_seen, s_draft, s_at) s(unit, kind, owner, seen, draft, at)
      where c.owner_kind = s.kind and c.owner_id = s.owner and s.unit <> all(refused);
    insert into gost.draft (id, body)
      select s.draft, substring(frame from s.off + 1 for s.len) from unnest(s_unit, s_draft, s_off, s_len) s(unit, draft, off, len)
      where s.draft is not null and s.unit <> all(refused) order by 1
      on conflict (id) do update set body = excluded.body;
    delete from gost.draft d using unnest(x_unit, x_draft) x(unit, draft) where d.id = x.draft and x.unit <> all(refused);
    update gost.draft d set body = null, offer_id = b.offer, published_at_us = b.at
      from unnest(b_unit, b_draft, b_offer, b_at) b(unit, draft, offer, at) where d.id = b.draft and b.unit <> all(refused);
  end if;

  if cardinality(f_unit) > 0 then
    update gost.feed_progress p set version = f.seen + 1, body = substring(frame from f.off + 1 for f.len)
      from unnest(f_unit, f_seller, f_namespace, f_seen, f_off, f_len) f(unit, seller, namespace, seen, off, len)
      where p.seller = f.seller and p.namespace = f.namespace and f.unit <> all(refused);
    delete from gost.feed r using unnest(d_unit, d_seller, d_namespace, d_external) d(unit, seller, namespace, external)
      where r.seller = d.seller and r.namespace = d.namespace and r.external_id = d.external and d.unit <> all(refused);
    insert into gost.feed (seller, namespace, external_id, task, removed_at_us, body)
      select r.seller, r.namespace, r.external, r.task, r.removed, substring(frame from r.off + 1 for r.len)
      from unnest(r_unit, r_seller, r_namespace, r_external, r_task, r_removed, r_off, r_len) r(unit, seller, namespace, external, task, removed, off, len)
      where r.unit <> all(refused)
      on conflict (seller, namespace, external_id) do update set task = excluded.task, removed_at_us = excluded.removed_at_us, body = excluded.body;
  end if;
  return refused;
end $$;

-- Sets a seller's totals to what their sources say. The sources and the totals are read by one statement, hence as of
-- one moment, and a commit moves both: what differs is drift, whatever is being written meanwhile. It is taken away as
-- a difference, so that what was committed since stays. Two repairs at once would take it away twice: hence the lock.
create function gost.repair_totals(of_seller text)
returns table (total smallint, currency text, drift bigint) language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock(hashtextextended('gost.repair_totals/' || of_seller, 0));
  return query
    with expected as (
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
    mended as (
      insert into gost.user_total_counters as c (seller, total, currency, seq_no, value)
        select of_seller, d.total, d.currency, 0, -d.drift from drifted d order by 2, 3
        on conflict (seller, total, currency, seq_no) do update set value = c.value + excluded.value)
    select d.total, d.currency, d.drift from drifted d order by 1, 2;
end $$;

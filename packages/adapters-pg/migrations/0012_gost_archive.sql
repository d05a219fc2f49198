-- The archive: who has left the store, and where his bytes are. Timers for both ends of an offer's life.

-- What an offer waits for: 1 its end, 2 the archive. The rows that are there wait for their ends.
alter table gost.expiry rename to timer;
alter table gost.timer rename expires_at_us to at_us;
alter table gost.timer add what smallint not null default 1, drop constraint expiry_pkey;
alter table gost.timer alter what drop default, add primary key (what, shard, at_us, offer_id);

-- One row an archived offer: a slice of a segment. A segment is a blob, named by its SHA-256.
create table gost.archive (
  offer_id text collate "C" primary key,
  seller text collate "C" not null,
  version bigint not null,
  segment bytea not null,
  at_offset integer not null,
  length integer not null,
  archived_at_us bigint not null
);
create index archive_by_seller on gost.archive (seller, offer_id);
create index archive_by_segment on gost.archive (segment);

-- Segments that no pointer names or ever will. The row outlives the bytes: a move that comes late must still find it.
create table gost.archive_condemned (
  segment bytea primary key,
  deleted boolean not null default false
);
create index archive_undeleted on gost.archive_condemned (segment) where not deleted;

-- Who names a segment and who condemns it wait for each other here; the look at what the lock guards comes after it, in
-- a statement of its own. Before all other locks.
create function gost.lock_segment(of_segment bytea) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('gost.archive/' || encode(of_segment, 'hex'), 0));
$$;

-- Moves offers into a segment, all or none; answers those that are not at the version seen, or all of them when the
-- segment is condemned. The same order of locks as in gost.commit, and the same care of a running repair.
create function gost.archive_move(
  a_segment bytea, a_at bigint, a_id text[], a_seen bigint[], a_seller text[], a_off integer[], a_len integer[],
  p_seller text[], p_preset smallint[], p_at bigint[], p_offer text[],
  t_seller text[], t_total smallint[], t_currency text[], t_seq smallint[], t_by bigint[],
  e_what smallint[], e_shard integer[], e_at bigint[], e_offer text[])
returns text[] language plpgsql set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  refused text[];
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'gost.archive_move needs read committed';
  end if;
  perform gost.lock_segment(a_segment);
  if exists (select from gost.archive_condemned c where c.segment = a_segment) then
    return a_id;
  end if;
  perform from gost.offer where id = any(a_id) and kind = 0 order by id for update;
  select coalesce(array_agg(a.id), '{}') into refused from unnest(a_id, a_seen) a(id, seen)
    left join gost.offer h on h.id = a.id and h.kind = 0 where h.version is distinct from a.seen;
  if cardinality(refused) > 0 then
    return refused;
  end if;

  delete from gost.offer where id = any(a_id);
  delete from gost.offer_history where offer_id = any(a_id);
  if cardinality(p_seller) > 0 then
    delete from gost.user_offer_presets l using unnest(p_seller, p_preset, p_at, p_offer) p(seller, preset, at, offer)
      where l.seller = p.seller and l.preset = p.preset and l.created_at_us = p.at and l.offer_id = p.offer;
    insert into gost.user_offer_presets_count as c (seller, preset, counter)
      select p.seller, p.preset, -count(*) from unnest(p_seller, p_preset) p(seller, preset)
      group by p.seller, p.preset order by p.seller collate "C", p.preset
      on conflict (seller, preset) do update set
        counter = c.counter + excluded.counter,
        repair_partial = case when c.repair_at_us is null then 0 else c.repair_partial - (
          select count(*) from unnest(p_seller, p_preset, p_at, p_offer) p(seller, preset, at, offer)
          where p.seller = c.seller and p.preset = c.preset
            and (p.at, p.offer collate "C") >= (c.repair_at_us, c.repair_offer_id)) end;
  end if;
  if cardinality(t_seller) > 0 then
    insert into gost.user_total_counters as c (seller, total, currency, seq_no, value)
      select t.seller, t.total, t.currency, t.seq, sum(t.by) from unnest(t_seller, t_total, t_currency, t_seq, t_by) t(seller, total, currency, seq, by)
      group by 1, 2, 3, 4 order by t.seller collate "C", t.total, t.currency collate "C", t.seq
      on conflict (seller, total, currency, seq_no) do update set value = c.value + excluded.value;
  end if;
  delete from gost.timer x using unnest(e_what, e_shard, e_at, e_offer) e(what, shard, at, offer)
    where x.what = e.what and x.shard = e.shard and x.at_us = e.at and x.offer_id = e.offer;
  insert into gost.archive (offer_id, seller, version, segment, at_offset, length, archived_at_us)
    select a.id, a.seller, a.seen, a_segment, a.off, a.len, a_at
    from unnest(a_id, a_seller, a_seen, a_off, a_len) a(id, seller, seen, off, len) order by a.id;
  return '{}';
end $$;

-- Condemns a segment that nothing is in; false when something is.
create function gost.archive_condemn(a_segment bytea) returns boolean language plpgsql set enable_seqscan = off as $$
begin
  perform gost.lock_segment(a_segment);
  if exists (select from gost.archive a where a.segment = a_segment) then
    return false;
  end if;
  insert into gost.archive_condemned (segment) values (a_segment) on conflict (segment) do update set deleted = false;
  return true;
end $$;

-- Puts all pointers of a segment to their new places, if they are exactly these, and condemns it.
create function gost.archive_rewrite(
  a_segment bytea, a_anew bytea, a_id text[], a_version bigint[], a_off integer[], a_len integer[],
  q_shard integer[], q_at bigint[], q_topic text[], q_key text[], q_id text[], q_value bytea[])
returns boolean language plpgsql set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform gost.lock_segment(s) from unnest(array[a_segment, a_anew]) s order by s;
  if exists (select from gost.archive_condemned c where c.segment = a_anew) then
    return false;
  end if;
  perform from gost.archive where segment = a_segment order by offer_id for update;
  if exists (select from unnest(a_id) a(id) left join gost.archive p on p.offer_id = a.id and p.segment = a_segment where p.offer_id is null)
    or (select count(*) from gost.archive p where p.segment = a_segment) <> cardinality(a_id) then
    return false;
  end if;
  update gost.archive p set segment = a_anew, version = a.version, at_offset = a.off, length = a.len
    from unnest(a_id, a_version, a_off, a_len) a(id, version, off, len) where p.offer_id = a.id;
  insert into gost.queue (shard, at_us, topic, key, id, value)
    select q.shard, q.at, q.topic, q.key, q.id, q.value
    from unnest(q_shard, q_at, q_topic, q_key, q_id, q_value) q(shard, at, topic, key, id, value);
  insert into gost.archive_condemned (segment) values (a_segment) on conflict (segment) do update set deleted = false;
  return true;
end $$;

drop function gost.commit;
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
  e_unit integer[], e_what smallint[], e_shard integer[], e_at bigint[], e_offer text[], e_by smallint[],
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
    union all -- the id of an archived offer stays taken
    select o.unit from unnest(o_unit, o_id, o_seen) o(unit, id, seen) join gost.archive a on a.offer_id = o.id where o.seen = 0
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
    delete from gost.timer x using unnest(e_unit, e_what, e_shard, e_at, e_offer, e_by) e(unit, what, shard, at, offer, by)
      where e.by < 0 and e.unit <> all(refused)
        and x.what = e.what and x.shard = e.shard and x.at_us = e.at and x.offer_id = e.offer;
    insert into gost.timer (what, shard, at_us, offer_id)
      select e.what, e.shard, e.at, e.offer from unnest(e_unit, e_what, e_shard, e_at, e_offer, e_by) e(unit, what, shard, at, offer, by)
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

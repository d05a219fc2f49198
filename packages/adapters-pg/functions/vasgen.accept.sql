-- Writes rows that are fresher than what stands, with their queue elements and due rows. Returns a row for each write
-- that was not written, with what stands. outcome: 1 an equal or fresher row stands, 2 it may not be the first row and
-- there is none, 3 its epoch is not living. No two writes have the same epoch and pk.
--
-- Lock order: the client (shared; a change of its epochs takes it alone), rows by epoch, hash and pk, heads by queue and
-- shard. A lock and the check of what it guards are two statements, because the snapshot of a statement is older than the
-- lock it waits for. That works under READ COMMITTED only. The settings are explained in gost.commit.
--
-- Rows are looked up by key in lateral subqueries that can't be merged (offset 0), and changed by ctid, which is safe because
-- they are locked: a plan that was made while the tables were empty would else read all rows of the client for each call.
create function vasgen.accept({{parameters}})
returns table (
  n integer, outcome smallint, raised boolean, version bigint, timestamp_ms bigint, kind smallint, status smallint,
  expires_at_ms bigint, written_at_ms bigint, schema bigint, lane smallint, content_hash text)
language plpgsql set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  living bigint[];
  won integer[];
  lifted integer[];
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'vasgen.accept needs read committed';
  end if;
  perform pg_advisory_xact_lock_shared(7102, hashtext(of_client));
  select coalesce(array_agg(e.epoch), '{}') into living from vasgen.epoch e where e.client = of_client;

  -- A new row stands below every place, so that there is a row to lock. Other transactions do not see it before the commit.
  insert into vasgen.registry (client, epoch, hash, pk, shard, version, timestamp_ms, kind, status, written_at_ms, schema, lane, content_hash)
    select of_client, writes.epoch, writes.hash, writes.pk, writes.shard, -1, -1, 0, 1, -1, 0, 0, ''
    from {{writes: epoch, hash, pk, shard, may_be_first}}
    where writes.may_be_first = 1 and writes.epoch = any(living) order by writes.epoch, writes.hash, writes.pk
    on conflict do nothing;
  perform from (select writes.epoch, writes.hash, writes.pk from {{writes: epoch, hash, pk}}
      order by writes.epoch, writes.hash, writes.pk offset 0) w
    cross join lateral (
      select from vasgen.registry r
      where r.client = of_client and r.epoch = w.epoch and r.hash = w.hash and r.pk = w.pk for update) locked;

  select coalesce(array_agg(writes.n), '{}') into won
    from {{writes: n, epoch, hash, pk, version, timestamp_ms, kind}}
    cross join lateral (
      select r.version, r.timestamp_ms, r.kind from vasgen.registry r
      where r.client = of_client and r.epoch = writes.epoch and r.hash = writes.hash and r.pk = writes.pk offset 0) r
    where writes.epoch = any(living)
      and (writes.version, writes.timestamp_ms, writes.kind) > (r.version, r.timestamp_ms, r.kind);

  if cardinality(won) < cardinality(writes_n) then
    select coalesce(array_agg(writes.n), '{}') into lifted
      from {{writes: n, epoch, hash, pk, version, lane}}
      cross join lateral (
        select r.version, r.lane from vasgen.registry r
        where r.client = of_client and r.epoch = writes.epoch and r.hash = writes.hash and r.pk = writes.pk offset 0) r
      where writes.n <> all(won) and writes.epoch = any(living)
        and writes.lane = 0 and r.lane = 1 and r.version = writes.version;
    return query
      select writes.n,
        (case when writes.epoch <> all(living) then 3 when r.pk is null then 2 else 1 end)::smallint,
        writes.n = any(lifted), r.version, r.timestamp_ms, r.kind, r.status, r.expires_at_ms, r.written_at_ms, r.schema, r.lane,
        r.content_hash
      from {{writes: n, epoch, hash, pk}}
      left join lateral (
        select r.* from vasgen.registry r
        where r.client = of_client and r.epoch = writes.epoch and r.hash = writes.hash and r.pk = writes.pk offset 0) r on true
      where writes.n <> all(won);
    update vasgen.registry as x set lane = 0
      from {{writes: n, epoch, hash, pk}}
      cross join lateral (
        select r.ctid from vasgen.registry r
        where r.client = of_client and r.epoch = writes.epoch and r.hash = writes.hash and r.pk = writes.pk offset 0) r
      where writes.n = any(lifted) and x.ctid = r.ctid;
  end if;

  delete from vasgen.due as x using {{writes: n, epoch, hash, pk}}
    cross join lateral (
      select r.* from vasgen.registry r
      where r.client = of_client and r.epoch = writes.epoch and r.hash = writes.hash and r.pk = writes.pk offset 0) r
    cross join lateral (
      select d.ctid from vasgen.due d
      where d.client = of_client and d.shard = r.shard and d.what = r.status
        and d.at_ms = case r.status when 1 then r.written_at_ms else r.expires_at_ms end
        and d.epoch = r.epoch and d.pk = r.pk for update) d
    where writes.n = any(won) and r.version >= 0 and (r.status = 1 or r.expires_at_ms is not null)
      and x.ctid = d.ctid;
  update vasgen.registry as x set version = writes.version, timestamp_ms = writes.timestamp_ms, kind = writes.kind,
      status = writes.status, expires_at_ms = writes.expires_at_ms, written_at_ms = writes.written_at_ms,
      schema = writes.schema, lane = writes.lane, content_hash = writes.content_hash,
      body = substring(frame from writes.body_start for writes.body_length)
    from {{writes: n, epoch, hash, pk, version, timestamp_ms, kind, status, expires_at_ms, written_at_ms, schema, lane, content_hash, body}}
    cross join lateral (
      select r.ctid from vasgen.registry r
      where r.client = of_client and r.epoch = writes.epoch and r.hash = writes.hash and r.pk = writes.pk offset 0) r
    where writes.n = any(won) and x.ctid = r.ctid;
  insert into vasgen.due (client, shard, what, at_ms, epoch, pk, hash)
    select of_client, writes.shard, writes.status,
      case writes.status when 1 then writes.written_at_ms else writes.expires_at_ms end, writes.epoch, writes.pk, writes.hash
    from {{writes: n, epoch, hash, pk, shard, status, expires_at_ms, written_at_ms}}
    where writes.n = any(won) and (writes.status = 1 or writes.expires_at_ms is not null);
  if 1 = any(writes_erases) then
    insert into vasgen.erasure as x (client, pk, at_ms)
      select distinct on (writes.pk) of_client, writes.pk, writes.written_at_ms
      from {{writes: n, pk, erases, written_at_ms}}
      where writes.n = any(won) and writes.erases = 1 order by writes.pk, writes.written_at_ms desc
      on conflict (client, pk) do update set at_ms = greatest(x.at_ms, excluded.at_ms);
  end if;

  -- The elements: of what was written, in its own queue; of what was lifted, in `main`, at the place that stands.
  perform vasgen.enqueue(of_client, array_agg(q.queue), array_agg(q.shard), array_agg(q.pk), array_agg(q.hash),
      array_agg(q.epoch), array_agg(q.version), array_agg(q.timestamp_ms))
    from (
      select writes.n, writes.lane as queue, writes.shard, writes.pk, writes.hash, writes.epoch, writes.version, writes.timestamp_ms
        from {{writes: n, lane, shard, pk, hash, epoch, version, timestamp_ms}} where writes.n = any(won)
      union all
      select writes.n, 0::smallint, r.shard, r.pk, r.hash, r.epoch, r.version, r.timestamp_ms
        from {{writes: n, epoch, hash, pk}}
        cross join lateral (
          select r.* from vasgen.registry r
          where r.client = of_client and r.epoch = writes.epoch and r.hash = writes.hash and r.pk = writes.pk offset 0) r
        where writes.n = any(lifted)
      order by 1) q
    having count(*) > 0;
end $$;

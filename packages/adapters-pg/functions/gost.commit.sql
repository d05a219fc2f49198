-- Commits units: of each unit either all rows or none. Returns the numbers of the refused units. Two units of one call
-- never name the same offer, draft slot or feed.
--
-- Lock order, the same in every function: offer heads by id, draft slots, feeds, counts, totals. A lock and the check
-- of what it guards are two statements, because the snapshot of a statement is older than the lock it waits for. That
-- works under READ COMMITTED only.
--
-- Every row is found by its key. A plan is kept for the life of a connection and may be made while the tables are
-- empty. Without the settings below the planner then keeps on scanning tables that have grown: a commit took 69 ms
-- instead of 1 ms after 300 000 rows.
create function gost.commit({{parameters}})
returns integer[] language plpgsql set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  refused integer[] := '{}';
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'gost.commit needs read committed';
  end if;

  -- A new offer, slot or feed gets a row with version 0, so that there is a row to lock. Other transactions do not see
  -- it before the commit.
  if 0 = any(offers_expected_version) then
    insert into gost.offer (id, kind, version, status, seller, hash, body)
      select offers.id, 0, 0, 0, offers.seller, offers.hash, ''
      from {{offers: id, expected_version, seller, hash}} where offers.expected_version = 0 order by offers.id
      on conflict (id, kind) do nothing;
  end if;
  perform from gost.offer where id = any(offers_id) and kind = 0 order by id for update;
  if 0 = any(slots_expected_version) then
    insert into gost.current_draft (owner_kind, owner_id, version)
      select slots.owner_kind, slots.owner_id, 0
      from {{slots: owner_kind, owner_id, expected_version}} where slots.expected_version = 0 order by 1, 2
      on conflict (owner_kind, owner_id) do nothing;
  end if;
  if cardinality(slots_unit) > 0 then
    perform from gost.current_draft c
      join {{slots: owner_kind, owner_id}} on c.owner_kind = slots.owner_kind and c.owner_id = slots.owner_id
      order by c.owner_kind, c.owner_id for update of c;
  end if;
  if cardinality(feeds_unit) > 0 then
    insert into gost.feed_progress (seller, namespace, version, body)
      select feeds.seller, feeds.namespace, 0, ''
      from {{feeds: seller, namespace, expected_version}} where feeds.expected_version = 0 order by 1, 2
      on conflict (seller, namespace) do nothing;
    perform from gost.feed_progress p
      join {{feeds: seller, namespace}} on p.seller = feeds.seller and p.namespace = feeds.namespace
      order by p.seller, p.namespace for update of p;
  end if;

  -- Everything below writes only rows of units that are not refused here.
  select coalesce(array_agg(distinct d.unit), '{}') into refused from (
    select offers.unit from {{offers: unit, id, expected_version}}
      left join gost.offer h on h.id = offers.id and h.kind = 0
      where h.version is distinct from offers.expected_version
    union all -- a new offer must not have the id of an archived one
    select offers.unit from {{offers: unit, id, expected_version}}
      join gost.archive a on a.offer_id = offers.id where offers.expected_version = 0
    union all
    select slots.unit from {{slots: unit, owner_kind, owner_id, expected_version}}
      left join gost.current_draft c on c.owner_kind = slots.owner_kind and c.owner_id = slots.owner_id
      where c.version is distinct from slots.expected_version
    union all
    select feeds.unit from {{feeds: unit, seller, namespace, expected_version}}
      left join gost.feed_progress p on p.seller = feeds.seller and p.namespace = feeds.namespace
      where p.version is distinct from feeds.expected_version) d;
  if cardinality(refused) > 0 then
    delete from gost.offer h using {{offers: unit, id}}
      where h.id = offers.id and h.kind = 0 and h.version = 0 and offers.unit = any(refused);
    delete from gost.current_draft c using {{slots: unit, owner_kind, owner_id}}
      where c.owner_kind = slots.owner_kind and c.owner_id = slots.owner_id and c.version = 0
        and slots.unit = any(refused);
    delete from gost.feed_progress p using {{feeds: unit, seller, namespace}}
      where p.seller = feeds.seller and p.namespace = feeds.namespace and p.version = 0 and feeds.unit = any(refused);
  end if;

  update gost.offer h set version = offers.version, status = offers.status,
      body = substring(frame from offers.head_start for offers.head_length)
    from {{offers: unit, id, version, status, head}}
    where h.id = offers.id and h.kind = 0 and offers.unit <> all(refused);
  if cardinality(bodies_unit) > 0 then
    insert into gost.offer (id, kind, body)
      select bodies.offer_id, bodies.kind, substring(frame from bodies.body_start for bodies.body_length)
      from {{bodies: unit, offer_id, kind, body}}
      where bodies.unit <> all(refused) order by bodies.offer_id, bodies.kind
      on conflict (id, kind) do update set body = excluded.body;
  end if;
  insert into gost.offer_history (offer_id, version, body)
    select offers.id, offers.version, substring(frame from offers.history_start for offers.history_length)
    from {{offers: unit, id, version, history}} where offers.unit <> all(refused);

  if cardinality(lines_unit) > 0 then
    delete from gost.user_offer_presets l using {{lines: unit, seller, preset, created_at_us, offer_id, change}}
      where lines.change < 0 and lines.unit <> all(refused) and l.seller = lines.seller and l.preset = lines.preset
        and l.created_at_us = lines.created_at_us and l.offer_id = lines.offer_id;
    insert into gost.user_offer_presets (seller, preset, created_at_us, offer_id)
      select lines.seller, lines.preset, lines.created_at_us, lines.offer_id
      from {{lines: unit, seller, preset, created_at_us, offer_id, change}}
      where lines.change > 0 and lines.unit <> all(refused);
    -- Also when the sum is 0: a running repair may have counted one of the moved lines and not the other.
    insert into gost.user_offer_presets_count as c (seller, preset, counter)
      select lines.seller, lines.preset, sum(lines.change) from {{lines: unit, seller, preset, change}}
      where lines.unit <> all(refused)
      group by lines.seller, lines.preset order by lines.seller collate "C", lines.preset
      on conflict (seller, preset) do update set
        counter = c.counter + excluded.counter,
        repair_partial = case when c.repair_at_us is null then 0 else c.repair_partial + coalesce((
          select sum(lines.change) from {{lines: unit, seller, preset, created_at_us, offer_id, change}}
          where lines.unit <> all(refused) and lines.seller = c.seller and lines.preset = c.preset
            and (lines.created_at_us, lines.offer_id collate "C") >= (c.repair_at_us, c.repair_offer_id)), 0) end;
  end if;
  if cardinality(sales_unit) > 0 then
    insert into gost.sale (seller, offer_id, currency, earned)
      select sales.seller, sales.offer_id, sales.currency, sales.earned
      from {{sales: unit, seller, offer_id, currency, earned}} where sales.unit <> all(refused);
  end if;
  if cardinality(totals_unit) > 0 then
    insert into gost.user_total_counters as c (seller, total, currency, seq_no, value)
      select totals.seller, totals.total, totals.currency, totals.seq_no, sum(totals.change)
      from {{totals: unit, seller, total, currency, seq_no, change}} where totals.unit <> all(refused)
      group by 1, 2, 3, 4
      order by totals.seller collate "C", totals.total, totals.currency collate "C", totals.seq_no
      on conflict (seller, total, currency, seq_no) do update set value = c.value + excluded.value;
  end if;

  insert into gost.queue (shard, at_us, topic, key, id, value)
    select queue.shard, queue.at_us, queue.topic, queue.key, queue.id,
      substring(frame from queue.value_start for queue.value_length)
    from {{queue: unit, shard, at_us, topic, key, id, value}} where queue.unit <> all(refused);
  if cardinality(timers_unit) > 0 then
    delete from gost.timer x using {{timers: unit, what, shard, at_us, offer_id, change}}
      where timers.change < 0 and timers.unit <> all(refused)
        and x.what = timers.what and x.shard = timers.shard and x.at_us = timers.at_us and x.offer_id = timers.offer_id;
    insert into gost.timer (what, shard, at_us, offer_id)
      select timers.what, timers.shard, timers.at_us, timers.offer_id
      from {{timers: unit, what, shard, at_us, offer_id, change}}
      where timers.change > 0 and timers.unit <> all(refused);
  end if;

  if cardinality(slots_unit) > 0 then
    update gost.current_draft c
      set version = slots.expected_version + 1, draft_id = slots.draft_id, saved_at_us = slots.saved_at_us
      from {{slots: unit, owner_kind, owner_id, expected_version, draft_id, saved_at_us}}
      where c.owner_kind = slots.owner_kind and c.owner_id = slots.owner_id and slots.unit <> all(refused);
    insert into gost.draft (id, body)
      select slots.draft_id, substring(frame from slots.body_start for slots.body_length)
      from {{slots: unit, draft_id, body}} where slots.draft_id is not null and slots.unit <> all(refused) order by 1
      on conflict (id) do update set body = excluded.body;
    delete from gost.draft d using {{erased_drafts: unit, id}}
      where d.id = erased_drafts.id and erased_drafts.unit <> all(refused);
    update gost.draft d set body = null, offer_id = published_drafts.offer_id, published_at_us = published_drafts.at_us
      from {{published_drafts: unit, id, offer_id, at_us}}
      where d.id = published_drafts.id and published_drafts.unit <> all(refused);
  end if;

  if cardinality(feeds_unit) > 0 then
    update gost.feed_progress p set version = feeds.expected_version + 1,
        body = substring(frame from feeds.body_start for feeds.body_length)
      from {{feeds: unit, seller, namespace, expected_version, body}}
      where p.seller = feeds.seller and p.namespace = feeds.namespace and feeds.unit <> all(refused);
    delete from gost.feed r using {{dropped_feed_rows: unit, seller, namespace, external_id}}
      where r.seller = dropped_feed_rows.seller and r.namespace = dropped_feed_rows.namespace
        and r.external_id = dropped_feed_rows.external_id and dropped_feed_rows.unit <> all(refused);
    insert into gost.feed (seller, namespace, external_id, task, removed_at_us, body)
      select feed_rows.seller, feed_rows.namespace, feed_rows.external_id, feed_rows.task, feed_rows.removed_at_us,
        substring(frame from feed_rows.body_start for feed_rows.body_length)
      from {{feed_rows: unit, seller, namespace, external_id, task, removed_at_us, body}}
      where feed_rows.unit <> all(refused)
      on conflict (seller, namespace, external_id)
        do update set task = excluded.task, removed_at_us = excluded.removed_at_us, body = excluded.body;
  end if;
  return refused;
end $$;

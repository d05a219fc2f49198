-- Adds elements to queues, in the order of the arrays. The heads are locked in the order of queue and shard until the commit.
create function vasgen.enqueue(
  of_client text, queues smallint[], shards integer[], pks text[], hashes bigint[], epochs bigint[], versions bigint[],
  timestamps bigint[], failed_in smallint[] default null, reasons text[] default null, attempts integer[] default null,
  retries bigint[] default null)
returns void language plpgsql set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  insert into vasgen.head as h (client, queue, shard, idx)
    select of_client, a.queue, a.shard, count(*) from unnest(queues, shards) a(queue, shard)
    group by a.queue, a.shard order by a.queue, a.shard
    on conflict (client, queue, shard) do update set idx = h.idx + excluded.idx;
  insert into vasgen.element (client, queue, shard, idx, pk, hash, epoch, version, timestamp_ms, failed_in, reason, attempts, retry_at_ms)
    select of_client, a.queue, a.shard,
      h.idx - count(*) over (partition by a.queue, a.shard) + row_number() over (partition by a.queue, a.shard order by a.n),
      a.pk, a.hash, a.epoch, a.version, a.timestamp_ms, a.failed_in, a.reason, a.attempts, a.retry_at_ms
    from unnest(queues, shards, pks, hashes, epochs, versions, timestamps, failed_in, reasons, attempts, retries)
      with ordinality a(queue, shard, pk, hash, epoch, version, timestamp_ms, failed_in, reason, attempts, retry_at_ms, n)
    join vasgen.head h on h.client = of_client and h.queue = a.queue and h.shard = a.shard;
end $$;

-- Vasgen: the registry of documents and the queues that lead to the index. Codes: queue and lane 0 main, 1 bulk,
-- 2 emergency, 3 failed; kind 0 document, 1 expiry; status 0 alive, 1 tombstone; state 0 building, 1 serving, 2 retained.
create schema vasgen;

create table vasgen.client (
  name text collate "C" primary key,
  shards integer not null,
  version bigint not null -- counts changes of the epochs' states
);
create table vasgen.epoch (
  client text collate "C" not null,
  epoch bigint not null,
  state smallint not null,
  schema_number bigint not null,
  schema text not null, -- JSON: fields and plans by name
  primary key (client, epoch)
);

-- The newest state of each document in each epoch.
create table vasgen.registry (
  client text collate "C" not null,
  epoch bigint not null,
  hash bigint not null, -- the upper half of the pk's XXH64
  pk text collate "C" not null,
  shard integer not null,
  version bigint not null,
  timestamp_ms bigint not null,
  kind smallint not null,
  status smallint not null,
  expires_at_ms bigint,
  written_at_ms bigint not null,
  schema bigint not null, -- the number that the document was judged under
  lane smallint not null,
  content_hash text not null,
  body bytea, -- a tombstone has none
  primary key (client, epoch, hash, pk)
) with (fillfactor = 80);
-- The codec compresses.
alter table vasgen.registry alter body set storage external;

-- What happens to a row by itself: what 0, its ttl runs out at at_ms; what 1, its tombstone was written at at_ms.
create table vasgen.due (
  client text collate "C" not null,
  shard integer not null,
  what smallint not null,
  at_ms bigint not null,
  epoch bigint not null,
  pk text collate "C" not null,
  hash bigint not null,
  primary key (client, shard, what, at_ms, epoch, pk)
);

create table vasgen.element (
  client text collate "C" not null,
  queue smallint not null,
  shard integer not null,
  idx bigint not null,
  pk text collate "C" not null,
  hash bigint not null,
  epoch bigint not null,
  version bigint not null,
  timestamp_ms bigint not null,
  written_at_ms bigint not null default (extract(epoch from clock_timestamp()) * 1000)::bigint,
  -- Of the queue `failed` only.
  failed_in smallint,
  reason text,
  attempts integer,
  retry_at_ms bigint,
  primary key (client, queue, shard, idx)
);
-- The idx of the newest element. The row is locked until the commit, so idx is in the order of commits.
create table vasgen.head (
  client text collate "C" not null,
  queue smallint not null,
  shard integer not null,
  idx bigint not null,
  primary key (client, queue, shard)
) with (fillfactor = 50);
create table vasgen.queue_offset (
  client text collate "C" not null,
  queue smallint not null,
  shard integer not null,
  reader text collate "C" not null,
  idx bigint not null,
  primary key (client, queue, shard, reader)
) with (fillfactor = 50);
create table vasgen.parked (
  client text collate "C" not null,
  epoch bigint not null,
  pk text collate "C" not null,
  version bigint not null,
  timestamp_ms bigint not null,
  failed_in smallint not null,
  reason text not null,
  attempts integer not null,
  retry_at_ms bigint not null,
  primary key (client, epoch, pk)
);

create table vasgen.refusal (
  client text collate "C" not null,
  pk text collate "C" not null,
  epoch bigint not null,
  version bigint not null,
  timestamp_ms bigint not null,
  verdict text not null,
  reason text not null,
  at_ms bigint not null,
  primary key (client, pk, epoch)
);
create index refusal_by_time on vasgen.refusal (client, at_ms);

-- Documents whose bodies must leave the archive.
create table vasgen.erasure (
  client text collate "C" not null,
  pk text collate "C" not null,
  at_ms bigint not null,
  primary key (client, pk)
);

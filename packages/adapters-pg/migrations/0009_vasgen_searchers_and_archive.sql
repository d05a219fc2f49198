-- The searchers of each client as they report themselves: how far each of their indexes has applied the index topic.
create table vasgen.searcher (
  client text collate "C" not null,
  searcher text collate "C" not null,
  reported_at timestamptz not null, -- by this database's clock
  indexes jsonb not null,
  primary key (client, searcher)
) with (fillfactor = 50);

-- The archive: segments of the index topic. A segment is a blob; a row names it.
create table vasgen.archive_segment (
  client text collate "C" not null,
  log text collate "C" not null, -- the incarnation of the topic
  partition integer not null,
  from_offset bigint not null,
  to_offset bigint not null, -- the last record
  from_ms bigint not null, -- the times of the first and the last record in the log
  to_ms bigint not null,
  records integer not null,
  bytes bigint not null,
  hash text collate "C" not null,
  checksum text not null,
  written_at_ms bigint not null,
  scrubbed_at_ms bigint not null, -- erasures that were asked for before this moment are done in it
  primary key (client, log, partition, from_offset)
);
create index archive_segment_by_hash on vasgen.archive_segment (hash);
create index archive_segment_by_time on vasgen.archive_segment (client, to_ms, log, partition, from_offset);
-- A condemned segment never gets a row again. `deleted`: its bytes are gone.
create table vasgen.archive_condemned (
  hash text collate "C" primary key,
  deleted boolean not null default false
);
create index archive_condemned_undeleted on vasgen.archive_condemned (hash) where not deleted;

-- The message log: one row for each batch of a partition. Rows are only appended, so a snapshot that is held for long
-- leaves no dead rows behind.

-- The identity of this log. Positions carry it, so that a position of another database is refused.
create table log_identity (
  one boolean primary key default true check (one),
  id uuid not null default gen_random_uuid()
);
insert into log_identity default values;

create table log_topic (
  id integer generated always as identity primary key,
  name text collate "C" not null unique check (name ~ '^[A-Za-z0-9._-]{1,249}$'),
  partitions integer not null check (partitions between 1 and 1024),
  -- Chosen when the topic is created: a topic that was deleted and created again is a different one.
  incarnation uuid not null default gen_random_uuid(),
  retention_ms bigint not null,
  record_bytes_max integer not null
);

-- A row holds the offsets last_off - n + 1 .. last_off. Offsets have no gaps.
create table log_batch (
  topic integer not null,
  part integer not null,
  last_off bigint not null,
  n integer not null,
  ts timestamptz not null default clock_timestamp(),
  data bytea not null,
  primary key (topic, part, last_off)
);
-- The publisher compresses; a second attempt here only costs time.
alter table log_batch alter data set storage external;

-- fillfactor: positions are updated all day. A page with free room takes the new version of a row in place (HOT).
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

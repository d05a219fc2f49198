-- The offer store. The function gost.commit writes, in one call, everything that a commit of offers must change.
create schema gost;

-- Kind 0 is the head: a commit checks and locks it, and every change rewrites it. The other kinds are the bodies
-- (1 content, 2 moderation, 3 images): a change rewrites only the bodies that it touches.
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
-- The codec compresses; so in the other tables.
alter table gost.offer alter body set storage external;
create index offer_by_hash on gost.offer (hash, id) where kind = 0;
create index offer_by_seller on gost.offer (seller, id) where kind = 0;

create table gost.offer_history (
  offer_id text collate "C" not null,
  version bigint not null,
  body bytea not null,
  primary key (offer_id, version)
);

-- The lines of a seller's lists. A list is read newest first: this index backwards.
create table gost.user_offer_presets (
  seller text collate "C" not null,
  preset smallint not null,
  created_at_us bigint not null,
  offer_id text collate "C" not null,
  primary key (seller, preset, created_at_us, offer_id)
);
-- While a repair runs, (repair_at_us, repair_offer_id) is the last line that it has counted. It goes downward.
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
-- One row for each offer that was ever sold on the platform. The totals Sold and MoneyEarned are sums of these rows.
create table gost.sale (
  seller text collate "C" not null,
  offer_id text collate "C" not null,
  currency text collate "C" not null, -- empty: the offer had no price
  earned bigint not null,
  primary key (seller, offer_id)
);

-- Records that wait for the export. `id` distinguishes records of one key and moment.
create table gost.queue (
  shard integer not null,
  at_us bigint not null,
  topic text collate "C" not null,
  key text collate "C" not null,
  id text collate "C" not null default '',
  value bytea not null,
  primary key (shard, at_us, topic, key, id)
);
alter table gost.queue alter value set storage external;
-- What an offer waits for: 1 its expiry, 2 the archive.
create table gost.timer (
  what smallint not null,
  shard integer not null,
  at_us bigint not null,
  offer_id text collate "C" not null,
  primary key (what, shard, at_us, offer_id)
);
create table gost.setting (
  one boolean primary key default true check (one),
  shards integer not null
);

-- The current draft of an owner. A row is never deleted: its version keeps growing, so that an old version never matches
-- again.
create table gost.current_draft (
  owner_kind smallint not null, -- 1 user, 2 anonymous
  owner_id text collate "C" not null,
  version bigint not null,
  draft_id text collate "C",
  saved_at_us bigint not null default 0,
  primary key (owner_kind, owner_id)
) with (fillfactor = 80);
create index current_draft_abandoned on gost.current_draft (saved_at_us) where owner_kind = 2 and draft_id is not null;
create table gost.draft (
  id text collate "C" primary key,
  body bytea, -- null once it is published
  offer_id text collate "C",
  published_at_us bigint
);
create index draft_published on gost.draft (published_at_us) where published_at_us is not null;

-- How far each feed is loaded (the progress is checked and locked), and its entries.
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

-- One row for each archived offer: which slice of which segment it is. A segment is a blob, named by its SHA-256.
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

-- Segments that no pointer may name any more. The row stays after the bytes are deleted: a late move must find it.
create table gost.archive_condemned (
  segment bytea primary key,
  deleted boolean not null default false
);
create index archive_undeleted on gost.archive_condemned (segment) where not deleted;

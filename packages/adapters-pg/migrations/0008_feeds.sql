-- Feeds: settings, links, loads and what became of them. Times are milliseconds since the epoch. `state`, `settings` and
-- `statistics` are JSON that only the code reads. Codes: status 0 in progress, 1 failed, 2 succeed; context 0 feedloader,
-- 1 feedprocessor; error_level 0 error, 1 warning. Work is shared out by `shard`, a hash of seller and namespace.
create schema feeds;

-- Never deleted: the numbers of loads and the tokens of locks go on after a removal.
create table feeds.feed (
  seller_id text collate "C" not null,
  namespace text collate "C" not null,
  revision bigint not null, -- counts every commit about the feed
  version bigint not null,
  status text not null,
  last_task bigint not null,
  settings text not null,
  changed_at bigint not null,
  primary key (seller_id, namespace)
) with (fillfactor = 50);

create table feeds.feed_loader_task (
  seller_id text collate "C" not null,
  namespace text collate "C" not null,
  shard integer not null,
  feed_version bigint not null,
  url text not null,
  last_fetched_at bigint,
  next_attempt_at bigint not null,
  state text not null,
  primary key (seller_id, namespace)
) with (fillfactor = 50);
create index feed_loader_task_by_fetch on feeds.feed_loader_task (shard, last_fetched_at nulls first);

create table feeds.tasks (
  seller_id text collate "C" not null,
  namespace text collate "C" not null,
  task_id bigint not null,
  shard integer not null,
  feed_version bigint not null,
  blob_hash text,
  blob_owner text collate "C",
  created_at bigint not null,
  updated_at bigint not null,
  status smallint not null,
  error_message text,
  sent_at bigint, -- only while the load waits for its last answer
  request_id text collate "C",
  state text not null,
  primary key (seller_id, namespace, task_id)
) with (fillfactor = 50);
create index tasks_by_update on feeds.tasks (seller_id, namespace, updated_at);
create index tasks_open on feeds.tasks (seller_id, namespace, task_id) where status = 0;
create index tasks_by_owner on feeds.tasks (blob_owner) where blob_owner is not null;
create index tasks_sent on feeds.tasks (shard, sent_at) where sent_at is not null;
create unique index tasks_by_request on feeds.tasks (seller_id, namespace, request_id) where request_id is not null;

create table feeds.task_queue (
  seller_id text collate "C" not null,
  namespace text collate "C" not null,
  task_id bigint not null,
  shard integer not null,
  created_at bigint not null,
  next_attempt_at bigint not null,
  primary key (seller_id, namespace, task_id)
);
create index task_queue_due on feeds.task_queue (shard, next_attempt_at);

create table feeds.feed_locks (
  context smallint not null,
  seller_id text collate "C" not null,
  namespace text collate "C" not null,
  shard integer not null,
  token bigint not null,
  holder text, -- null: the lock is free
  acquired bigint not null, -- when it was last renewed
  primary key (context, seller_id, namespace)
) with (fillfactor = 50);
create index feed_locks_by_time on feeds.feed_locks (context, shard, acquired) where holder is not null;

create table feeds.offer_batches (
  seller_id text collate "C" not null,
  namespace text collate "C" not null,
  task_id bigint not null,
  generation bigint not null,
  batch_id bigint not null,
  primary key (seller_id, namespace, task_id, generation, batch_id)
);

create table feeds.feed_statistics (
  seller_id text collate "C" not null,
  namespace text collate "C" not null,
  task_id bigint not null,
  generation bigint not null,
  statistics text not null,
  primary key (seller_id, namespace, task_id)
) with (fillfactor = 50);

create table feeds.offer_errors (
  seller_id text collate "C" not null,
  namespace text collate "C" not null,
  task_id bigint not null,
  generation bigint not null,
  external_id text collate "C" not null,
  error_id bigint not null,
  error_level smallint not null,
  code text not null,
  path text not null,
  ordinal bigint not null,
  line bigint,
  title text,
  error_message text not null,
  value text,
  primary key (seller_id, namespace, task_id, generation, external_id, error_id)
);
create index offer_errors_by_level on feeds.offer_errors
  (seller_id, namespace, task_id, generation, error_level, external_id, error_id);

create table feeds.old_tasks (
  seller_id text collate "C" not null,
  namespace text collate "C" not null,
  task_id bigint not null,
  primary key (seller_id, namespace, task_id)
);

-- Processes that are about to name a file. A load takes the row over when it is created.
create table feeds.file_owners (
  id text collate "C" primary key,
  hash text not null,
  announced_at bigint not null,
  condemned boolean not null default false
);
create index file_owners_by_time on feeds.file_owners (announced_at);

create table feeds.photo_errors (
  seller_id text collate "C" not null,
  namespace text collate "C" not null,
  offer_id text collate "C" not null,
  url text collate "C" not null,
  external_id text not null,
  reason text not null,
  primary key (seller_id, namespace, offer_id, url)
);

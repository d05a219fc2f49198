-- Snippets: contents by service, key prefix, key and language. Codes of formats: 1 json, 2 pb, 3 raw.
create schema snippets;

create table snippets.snippet (
  service text collate "C" not null,
  kps integer not null,
  key text collate "C" not null,
  language text collate "C" not null, -- empty: none
  version_ms bigint not null,
  version_sequence bigint not null,
  source text not null, -- the partition of a record; empty for HTTP and gRPC
  format smallint, -- a tombstone has neither format nor content
  content bytea,
  expires_at_ms bigint,
  due_at_ms bigint,
  primary key (service, kps, key, language)
) with (fillfactor = 80);

-- What happens to a row by itself at at_ms: it expires, or its tombstone is deleted. The shard is a hash of the key.
create table snippets.due (
  shard integer not null,
  at_ms bigint not null,
  service text collate "C" not null,
  kps integer not null,
  key text collate "C" not null,
  language text collate "C" not null,
  primary key (shard, at_ms, service, kps, key, language)
);

-- Leases: which member owns which shard of a set. Only the clock of this database decides what has expired.
create table lease_set (
  name text collate "C" primary key,
  shards integer not null check (shards > 0)
);
create table lease_member (
  set_name text collate "C" not null references lease_set (name) on delete cascade,
  member text collate "C" not null,
  expires_at timestamptz not null,
  primary key (set_name, member)
) with (fillfactor = 50);
-- Every change of owner raises the token. A row without an owner keeps its token, so that a token is never used twice.
create table lease (
  set_name text collate "C" not null references lease_set (name) on delete cascade,
  shard integer not null,
  token bigint not null,
  owner text collate "C",
  expires_at timestamptz not null,
  primary key (set_name, shard)
) with (fillfactor = 50);

-- Small values by key, with compare-and-set.
create table stored_value (
  space text collate "C" not null,
  key text collate "C" not null,
  version bigint not null,
  value bytea not null,
  primary key (space, key)
) with (fillfactor = 80);

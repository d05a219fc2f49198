-- Versions of the catalogue, each whole. Parts are written first, under a name that nobody knows yet; the row of the
-- version that names them makes it visible, all at once.
create table catalog_part (
  upload uuid not null,
  part integer not null,
  bytes bytea not null,
  written_at timestamptz not null default clock_timestamp(),
  primary key (upload, part)
);
alter table catalog_part alter bytes set storage external;
create table catalog_version (
  version integer primary key check (version > 0),
  published_at timestamptz not null default clock_timestamp(),
  upload uuid not null,
  parts integer not null
);

-- Versions of the catalogue. The parts of a version are written first, under an upload id that no reader knows. The row
-- of the version names the upload id and so makes all parts visible at once.
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

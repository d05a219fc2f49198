-- Records of the export queue that the log refused for good. An operator may insert them into gost.queue again.
create table gost.parked (
  shard integer not null,
  at_us bigint not null,
  topic text collate "C" not null,
  key text collate "C" not null,
  id text collate "C" not null default '',
  value bytea not null,
  reason text not null,
  primary key (shard, at_us, topic, key, id)
);

-- Click rates of offers by load, and the offers that hourly tables named. hash: the upper half of the offer's XXH64.
create schema search;

create table search.click_rate (
  epoch bigint not null,
  hash bigint not null,
  offer text collate "C" not null,
  ctr double precision not null,
  primary key (epoch, hash, offer)
);
create table search.ctr_queue (
  source text collate "C" not null, -- the table that named the offer
  hash bigint not null,
  offer text collate "C" not null,
  primary key (source, hash, offer)
);

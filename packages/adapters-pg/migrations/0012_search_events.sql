-- What answers of the search showed, so that each offer of an answer counts once, and the counts by hour. No buyer is in it.
create table search.shown (
  shown_ms bigint not null, -- when the answer was made
  query text collate "C" not null,
  offer text collate "C" not null,
  clicked boolean not null,
  primary key (shown_ms, query, offer)
);
create table search.click_count (
  offer text collate "C" not null,
  hour integer not null, -- since 1970
  impressions bigint not null,
  clicks bigint not null,
  primary key (offer, hour)
);
create index click_count_by_hour on search.click_count (hour, offer);

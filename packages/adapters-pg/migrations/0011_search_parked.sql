-- Offers that are retried apart from their partition. Never their contents: a retry asks the offer store.
create table search.parked (
  offer text collate "C" primary key,
  cause text not null, -- conversion, tooLarge, rejected, operator
  reason text not null,
  version_us bigint not null,
  since_ms bigint not null,
  retry_at_ms bigint not null,
  attempts integer not null,
  sent boolean not null,
  revision bigint not null
);
create index parked_by_retry on search.parked (retry_at_ms, offer);

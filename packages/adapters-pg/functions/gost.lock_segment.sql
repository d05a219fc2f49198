-- The lock that a transaction takes before it names or condemns a segment, and before every other lock. Check what the
-- lock guards in a later statement.
create function gost.lock_segment(of_segment bytea) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('gost.archive/' || encode(of_segment, 'hex'), 0));
$$;

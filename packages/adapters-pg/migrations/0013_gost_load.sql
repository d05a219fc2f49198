-- Offers by id, without what the caller has already: of an offer that is still at its version comes one row without a body.
-- Head and bodies are read by one statement, hence as of one moment.
--
-- A function, because its plan must not depend on when it was made: with the tables still empty the planner would scan
-- them for ever.
create function gost.load(ids text[], known bigint[])
returns table (id text, kind smallint, body bytea) language plpgsql stable set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
    -- Null finds nothing: what is known is not even looked up.
    select h.id, b.kind, b.body from unnest(ids, known) k(id, version)
      join gost.offer h on h.id = k.id and h.kind = 0
      left join gost.offer b on b.id = case when h.version is distinct from k.version then k.id end;
end $$;

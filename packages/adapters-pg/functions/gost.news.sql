-- What has changed of the asked offers since the versions that the caller knows (0: it knows none). Returns the head and
-- the bodies of an offer whose version differs, one row without a kind for an offer that does not exist, and nothing for
-- an offer that is still at the known version. One statement, so the answer is of one moment.
--
-- A function, because its settings keep the plan on the primary key, also when it was made while the table was empty.
create function gost.news({{parameters}})
returns table (id text, kind smallint, body bytea) language plpgsql stable set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
    select asked.id, b.kind, b.body from {{asked: id, version}}
      left join gost.offer h on h.id = asked.id and h.kind = 0
      left join gost.offer b on b.id = h.id
      where h.version is distinct from asked.version;
end $$;

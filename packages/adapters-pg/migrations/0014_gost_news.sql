-- What is news of offers to somebody who knows some of them: of an offer that is not at the version that is known come its head
-- and bodies, of one that is not there a row without a kind, and of all others nothing. Read by one statement, hence as of one
-- moment.
--
-- Takes the place of gost.load, which said of every offer that nothing was new; processes of the version before still call it.
create function gost.news(ids text[], known bigint[])
returns table (id text, kind smallint, body bytea) language plpgsql stable set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
    select k.id, b.kind, b.body from unnest(ids, known) k(id, version)
      left join gost.offer h on h.id = k.id and h.kind = 0
      left join gost.offer b on b.id = h.id
      where h.version is distinct from k.version;
end $$;

-- Condemns a segment that no pointer names. Returns false if one does.
create function gost.archive_condemn(a_segment bytea) returns boolean language plpgsql set enable_seqscan = off as $$
begin
  perform gost.lock_segment(a_segment);
  if exists (select from gost.archive a where a.segment = a_segment) then
    return false;
  end if;
  insert into gost.archive_condemned (segment) values (a_segment) on conflict (segment) do update set deleted = false;
  return true;
end $$;

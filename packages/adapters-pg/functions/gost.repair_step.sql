-- One step of the repair of a list's count. The lock and the count are two statements: a writer has either committed
-- before the lock, and the count sees its line, or it waits for the lock, and then sees the new place of the cursor.
create function gost.repair_step(of_seller text, of_preset smallint, lines_max integer)
returns table (done boolean, counted bigint, drift bigint) language plpgsql
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  c gost.user_offer_presets_count;
  n bigint;
  last_at bigint;
  last_offer text;
  last_step boolean;
begin
  select * into c from gost.user_offer_presets_count where seller = of_seller and preset = of_preset for update;
  if not found then
    return query select true, 0::bigint, 0::bigint;
    return;
  end if;
  with lines as (
    select l.created_at_us, l.offer_id from gost.user_offer_presets l
    where l.seller = of_seller and l.preset = of_preset
      and (l.created_at_us, l.offer_id) < (coalesce(c.repair_at_us, 9223372036854775807), coalesce(c.repair_offer_id, ''))
    order by l.created_at_us desc, l.offer_id desc limit lines_max)
  select count(*), min(l.created_at_us), (select f.offer_id from lines f order by f.created_at_us, f.offer_id limit 1)
    into n, last_at, last_offer from lines l;
  last_step := n < lines_max;
  n := n + case when c.repair_at_us is null then 0 else c.repair_partial end;
  if last_step then
    update gost.user_offer_presets_count set counter = n, repair_at_us = null, repair_offer_id = null, repair_partial = 0
      where seller = of_seller and preset = of_preset;
    return query select true, n, c.counter - n;
  else
    update gost.user_offer_presets_count set repair_at_us = last_at, repair_offer_id = last_offer, repair_partial = n
      where seller = of_seller and preset = of_preset;
    return query select false, n, 0::bigint;
  end if;
end $$;

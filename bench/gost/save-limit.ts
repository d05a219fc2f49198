import type pg from 'pg';
import { gostCodecs } from '@doska/adapters-proto';
import { OFFER_UPDATES, type OfferId } from '@doska/core/gost';
import { PRESETS, queuedRecords, TIMERS, TOTALS, writtenParts } from '@doska/core/gost/storage';
import type { Measured } from '../harness.ts';
import { pgbench } from '../pgbench.ts';
import { contentAt, publicationOf, SHARDS } from './samples.ts';
import { cleared, RUN_SECONDS, written } from './save.ts';
import { OFFERS_A_SELLER, type Stock } from './stock.ts';

export const CLIENTS = 16;

/**
 * L1: every statement that `gost.commit` runs for a save, in its order, each a round trip of its own. The bytes stand in
 * the statements, so pgbench does not even send them.
 */
const literal = (bytes: Uint8Array): string => `'\\x${Buffer.from(bytes).toString('hex')}'`;
const sample = publicationOf('9999999999999' as OfferId, 'seller-999999' as never, contentAt(1));
const [HEAD, CONTENT] = writtenParts(sample, gostCodecs).map(({ body }) => literal(body));
const VIEW = literal(queuedRecords(sample, gostCodecs)[0]!.value);
const ENTRY = literal(gostCodecs.history.encode(sample.history));
const NOW_US = '(extract(epoch from clock_timestamp()) * 1000000)::bigint';

const opened = (status: number): string => `begin;
select version as seen from gost.offer where id = :id and kind = 0 for update \\gset
select version as checked from gost.offer where id = :id and kind = 0;
\\set version :seen + 1
update gost.offer set version = :version, status = ${status}, body = ${HEAD} where id = :id and kind = 0;
`;
const HISTORY = `insert into gost.offer_history (offer_id, version, body) values (:id, :version, ${ENTRY});
`;
const QUEUE = `insert into gost.queue (shard, at_us, topic, key, id, value) values (:shard, ${NOW_US}, '${OFFER_UPDATES}', :id, '', ${VIEW});
`;
const EDIT = `${opened(1)}insert into gost.offer (id, kind, body) values (:id, 1, ${CONTENT}) on conflict (id, kind) do update set body = excluded.body;
${HISTORY}${QUEUE}commit;
`;

/** Out of one list, into another, with both counts and the total of what is active. */
const listed = (from: number, to: number, active: number): string => {
  const seller = `'seller-' || lpad(:seller::text, 6, '0')`;
  const created = sample.offer.createdAtUs;
  return `delete from gost.user_offer_presets where seller = ${seller} and preset = ${from} and created_at_us = ${created} and offer_id = :id::text;
insert into gost.user_offer_presets (seller, preset, created_at_us, offer_id) values (${seller}, ${to}, ${created}, :id);
insert into gost.user_offer_presets_count as c (seller, preset, counter) values (${seller}, ${Math.min(from, to)}, ${from < to ? -1 : 1}), (${seller}, ${Math.max(from, to)}, ${from < to ? 1 : -1}) on conflict (seller, preset) do update set counter = c.counter + excluded.counter;
insert into gost.user_total_counters as c (seller, total, currency, seq_no, value) values (${seller}, ${TOTALS.Active}, '', :stripe, ${active}) on conflict (seller, total, currency, seq_no) do update set value = c.value + excluded.value;
`;
};
const HIDE = `${opened(2)}${HISTORY}${listed(PRESETS.active, PRESETS.inactive, -1)}${QUEUE}delete from gost.timer where what = ${TIMERS.expiry} and shard = :shard and at_us = :expires and offer_id = :id::text;
commit;
`;
const ACTIVATE = `${opened(1)}${HISTORY}${listed(PRESETS.inactive, PRESETS.active, 1)}${QUEUE}insert into gost.timer (what, shard, at_us, offer_id) values (${TIMERS.expiry}, :shard, :expires, :id);
commit;
`;

const limitOf = async (
  { pool, url }: { readonly pool: pg.Pool; readonly url: string },
  script: string,
  saves: number,
): Promise<Measured> => {
  await cleared(pool);
  const { transactions, perSecond } = await pgbench(url, script, {
    clients: CLIENTS,
    seconds: RUN_SECONDS,
  });
  await written(pool, saves * transactions);
  return { value: saves * perSecond };
};
type Place = { readonly pool: pg.Pool; readonly url: string };
export const limitOfEdits = (place: Place, { first, count }: Stock): Promise<Measured> =>
  limitOf(
    place,
    `\\set id random(${first}, ${first + count - 1})
\\set shard random(0, ${SHARDS - 1})
${EDIT}`,
    1,
  );
/** An edit, a hide and the activation after it; every client has offers of its own, so that none is hidden twice. */
export const limitOfMixed = (place: Place, { first, count }: Stock): Promise<Measured> => {
  const own = Math.floor(count / CLIENTS);
  const someOffer = `\\set n :client_id * ${own} + random(0, ${own - 1})
\\set id ${first} + :n
\\set seller :n / ${OFFERS_A_SELLER}
\\set shard random(0, ${SHARDS - 1})
\\set stripe random(0, 9)
\\set expires random(1, 1000000000000)
`;
  return limitOf(place, `${someOffer}${EDIT}${someOffer}${HIDE}${ACTIVATE}`, 3);
};

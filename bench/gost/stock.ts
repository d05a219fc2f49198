import type pg from 'pg';
import { gostCodecs } from '@doska/adapters-proto';
import { type OfferId, type SellerId } from '@doska/core/gost';
import { PRESETS, TIMERS, TOTALS, writtenParts } from '@doska/core/gost/storage';
import { below, contentAt, publicationOf, SHARDS } from './samples.ts';

/** Offers with numbers for ids, all of thirteen digits, so that pgbench can name them and SQL can make them. */
export type Stock = { readonly first: number; readonly count: number };
export const someId = ({ first, count }: Stock): OfferId => String(first + below(count)) as OfferId;
export const OFFERS_A_SELLER = 100;
export const someSeller = ({ count }: Stock): SellerId => sellerOf(below(count / OFFERS_A_SELLER));
const sellerOf = (n: number): SellerId => `seller-${String(n).padStart(6, '0')}` as SellerId;

const ID = '9999999999999' as OfferId;
const SELLER = 'seller-999999' as SellerId;
const NAMES: Readonly<Record<string, string>> = { [ID]: 'n.id', [SELLER]: 'n.seller' };
/** SQL that makes the bytes of a row from those of the sample: names in them are as long as the sample's. */
const bytesOf = (sample: Uint8Array): string => {
  // A compressed one would not hold the names in one piece.
  if (sample[0] !== 1) throw new Error('the sample is compressed');
  return Buffer.from(sample)
    .toString('latin1')
    .split(new RegExp(`(${ID}|${SELLER})`))
    .map((piece) => {
      const column = NAMES[piece];
      return column
        ? `convert_to(${column}, 'UTF8')`
        : `'\\x${Buffer.from(piece, 'latin1').toString('hex')}'::bytea`;
    })
    .join(' || ');
};

const VARIETY = 20;
/** Active offers with everything that a publish leaves, but the queue: what the codecs would have written. */
export const makeStock = async (pool: pg.Pool, { first, count }: Stock): Promise<void> => {
  const change = publicationOf(ID, SELLER, contentAt(0));
  const [head] = writtenParts(change, gostCodecs);
  const contents = Array.from({ length: VARIETY }, (_, n) => {
    const parts = writtenParts(publicationOf(ID, SELLER, contentAt(n)), gostCodecs);
    return Buffer.from(parts.find(({ kind }) => kind === 1)!.body);
  });
  const { createdAtUs, expiresAtUs = 0 } = change.offer;
  const names = `(select (${first} + g)::text collate "C" as id, g,
    'seller-' || lpad((g / ${OFFERS_A_SELLER})::text, 6, '0') as seller from generate_series(0, ${count - 1}) g) n`;
  const sellers = `(select distinct 'seller-' || lpad((g / ${OFFERS_A_SELLER})::text, 6, '0') as seller from generate_series(0, ${count - 1}, ${OFFERS_A_SELLER}) g) n`;
  await pool.query(`insert into gost.offer (id, kind, version, seller, hash, status, body)
    select n.id, 0, 1, n.seller, hashtext(n.id)::bigint + 2147483648, 1, ${bytesOf(head.body)} from ${names}`);
  await pool.query(
    `insert into gost.offer (id, kind, body) select n.id, 1, ($1::bytea[])[1 + n.g % ${VARIETY}] from ${names}`,
    [contents],
  );
  await pool.query(`insert into gost.offer_history (offer_id, version, body)
    select n.id, 1, ${bytesOf(gostCodecs.history.encode(change.history))} from ${names}`);
  for (const preset of [PRESETS.all, PRESETS.active]) {
    await pool.query(`insert into gost.user_offer_presets
      select n.seller, ${preset}, ${createdAtUs}, n.id from ${names}`);
    await pool.query(`insert into gost.user_offer_presets_count (seller, preset, counter)
      select n.seller, ${preset}, ${OFFERS_A_SELLER} from ${sellers} on conflict do nothing`);
  }
  await pool.query(`insert into gost.user_total_counters
    select n.seller, ${TOTALS.Active}, '', 0, ${OFFERS_A_SELLER} from ${sellers} on conflict do nothing`);
  await pool.query(`insert into gost.timer (what, shard, at_us, offer_id)
    select ${TIMERS.expiry}, n.g % ${SHARDS}, ${expiresAtUs}, n.id from ${names}`);
  await settle(pool);
};

/** Between two variants: the next one finds no work of the last one's. */
export const settle = async (pool: pg.Pool): Promise<void> => {
  await pool.query('vacuum (analyze) gost.offer, gost.offer_history, gost.user_offer_presets, gost.queue');
  await pool.query('checkpoint');
};

import { ok } from 'neverthrow';
import type pg from 'pg';
import { gostCodecs } from '@doska/adapters-proto';
import {
  defaultGostSettings,
  makeChangeOffers,
  makeGroupCommit,
  OFFER_UPDATES,
  queuedRecords,
  writtenParts,
  type ChangeOffers,
  type OfferId,
  type OfferOrder,
  type OfferStore,
} from '@doska/core/gost';
import type { Measured } from '../harness.ts';
import { pgbench } from '../pgbench.ts';
import type { BenchStores } from './product.ts';
import {
  catalog,
  clock,
  contentAt,
  nextCommand,
  nextContent,
  publicationOf,
  random,
  SHARDS,
} from './samples.ts';
import { settle, someId, type Stock } from './stock.ts';

export const RUN_SECONDS = 3;
export const CLIENTS = 16;

/** Saves leave a line of history and a record for the queue each; both are counted, then taken away. */
const written = async (pool: pg.Pool, saves: number): Promise<void> => {
  for (const table of ['gost.queue', 'gost.offer_history where version > 1']) {
    const { rows } = await pool.query<{ n: string }>(`select count(*) as n from ${table}`);
    if (Number(rows[0]?.n) !== saves) throw new Error(`${saves} saves, but ${rows[0]?.n} rows of ${table}`);
  }
  await cleared(pool);
};
const cleared = async (pool: pg.Pool): Promise<void> => {
  await pool.query('truncate gost.queue');
  await pool.query('delete from gost.offer_history where version > 1');
  await settle(pool);
};

const literal = (bytes: Uint8Array): string => `'\\x${Buffer.from(bytes).toString('hex')}'`;
/**
 * L1: every statement that `gost.commit` runs for an edit, in its order, each a round trip of its own. The bytes stand in
 * the statements, so pgbench does not even send them.
 */
const editScript = ({ first, count }: Stock): string => {
  const change = publicationOf('9999999999999' as OfferId, 'seller-999999' as never, contentAt(1));
  const parts = writtenParts(change, gostCodecs);
  const [head, content] = parts.map(({ body }) => literal(body));
  const view = literal(queuedRecords(change, gostCodecs)[0]!.value);
  return `\\set id random(${first}, ${first + count - 1})
\\set shard random(0, ${SHARDS - 1})
begin;
select version as seen from gost.offer where id = :id and kind = 0 for update \\gset
select version as checked from gost.offer where id = :id and kind = 0;
\\set version :seen + 1
update gost.offer set version = :version, status = 1, body = ${head} where id = :id and kind = 0;
insert into gost.offer (id, kind, body) values (:id, 1, ${content}) on conflict (id, kind) do update set body = excluded.body;
insert into gost.offer_history (offer_id, version, body) values (:id, :version, ${literal(gostCodecs.history.encode(change.history))});
insert into gost.queue (shard, at_us, topic, key, id, value) values (:shard, (extract(epoch from clock_timestamp()) * 1000000)::bigint, '${OFFER_UPDATES}', :id, '', ${view});
commit;
`;
};
export const limitOfSaves = async (pool: pg.Pool, url: string, stock: Stock): Promise<Measured> => {
  await cleared(pool);
  const { transactions, perSecond } = await pgbench(url, editScript(stock), {
    ...{ clients: CLIENTS, seconds: RUN_SECONDS },
  });
  await written(pool, transactions);
  return { value: perSecond };
};

const changing = (offers: OfferStore): ChangeOffers =>
  makeChangeOffers({ offers, clock, random, catalog: () => ok(catalog), settings: defaultGostSettings });
/** `callers` at once, each with `orders` edits a call, for a while. */
const saveFor = async (
  change: ChangeOffers,
  stock: Stock,
  { callers, orders }: { readonly callers: number; readonly orders: number },
): Promise<{ readonly saves: number; readonly seconds: number }> => {
  const startedMs = performance.now();
  let saves = 0;
  const order = (offerId: OfferId): OfferOrder => ({
    offerId,
    command: { kind: 'edit', id: nextCommand(), by: 'seller', content: nextContent() },
  });
  const caller = async (): Promise<void> => {
    while (performance.now() - startedMs < RUN_SECONDS * 1_000) {
      const ids = new Set<OfferId>();
      while (ids.size < orders) ids.add(someId(stock));
      for (const verdict of await change([...ids].map(order))) {
        if (verdict.isErr() || !verdict.value.changed) throw new Error(JSON.stringify(verdict));
        saves++;
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { saves, seconds: (performance.now() - startedMs) / 1_000 };
};

/** Load, decide and commit one edit each, through the group commit of a process. */
export const saveSingly = async (on: BenchStores, stock: Stock): Promise<Measured> => {
  await cleared(on.pool);
  const offers = makeGroupCommit(on.stores.offers, { clock });
  const { saves, seconds } = await saveFor(changing(offers), stock, { callers: 64, orders: 1 });
  await offers.close();
  await written(on.pool, saves);
  return { value: saves / seconds };
};
/** Units of 50 in one commit. */
export const saveInFifties = async ({ pool, stores }: BenchStores, stock: Stock): Promise<Measured> => {
  await cleared(pool);
  const { saves, seconds } = await saveFor(changing(stores.offers), stock, { callers: 4, orders: 50 });
  await written(pool, saves);
  return { value: saves / seconds };
};

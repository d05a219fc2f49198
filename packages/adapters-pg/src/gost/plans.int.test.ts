import { afterAll, beforeAll, expect, test } from 'vitest';
import { gostCodecs } from '@doska/adapters-proto';
import { type Offer } from '@doska/core/gost';
import { archiveMoveOf } from '@doska/core/gost/storage';
import { alteration, publication, sampleSeller } from '@doska/core/gost/testing';
import type { BlobHash } from '@doska/core/kernel';
import { realClock } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { pgGostStores } from './pg-gost-stores.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase({ max: 1 }); // one connection, so that it keeps its old plans
});
afterAll(() => db.drop());

const scans = async (): Promise<Record<string, string>> => {
  await db.pool.query('select pg_stat_force_next_flush()');
  const { rows } = await db.pool.query<{ relname: string; seq_scan: string }>(
    `select relname, seq_scan from pg_stat_user_tables where schemaname = 'gost'`,
  );
  return Object.fromEntries(rows.map(({ relname, seq_scan }) => [relname, seq_scan]));
};

test('[G12] a commit and a repair that were planned on empty tables find their rows by key after the tables have grown', async () => {
  const { offers, cabinet } = pgGostStores({ pool: db.pool, codecs: gostCodecs, clock: realClock });
  const list = { seller: sampleSeller(), preset: 'all' } as const;
  const made = publication(1);
  const commit = async (...changes: Parameters<typeof alteration>[0][]) =>
    (
      await offers.commit(changes.map((offer) => ({ changes: [alteration(offer, { kind: 'hide' })] })))
    )._unsafeUnwrap();
  (await offers.commit([{ changes: [made] }]))._unsafeUnwrap();
  await commit(made.offer);
  await cabinet.repairStep(list, 10);
  const lines = `select $1, 1, at, 'OLD' || at from generate_series(1, 50000) at`;
  await db.pool.query(`insert into gost.user_offer_presets ${lines}`, [list.seller]);
  await db.pool.query(
    `insert into gost.offer (id, kind, version, hash, status, body) select 'OLD' || at, 0, 1, at, 1, '' from generate_series(1, 50000) at`,
  );
  const before = await scans();
  const more = Array.from({ length: 50 }, (_, n) => publication(n + 2));
  (await offers.commit(more.map((change) => ({ changes: [change] }))))._unsafeUnwrap();
  expect((await commit(...more.map(({ offer }) => offer))).every((outcome) => outcome.isOk())).toBe(true);
  await cabinet.repairStep(list, 10);
  expect(await scans()).toEqual(before);
});

test('[G17] functions of the archive that were planned on empty tables find their rows by key after the tables have grown', async () => {
  const { offers, archive } = pgGostStores({ pool: db.pool, codecs: gostCodecs, clock: realClock });
  const segment = (n: number): BlobHash => n.toString(16).padStart(64, '0') as BlobHash;
  const ended = async (from: number): Promise<readonly Offer[]> => {
    const made = Array.from({ length: 20 }, (_, n) => publication(from + n));
    const gone = made.map(({ offer }) => alteration(offer, { kind: 'sell', onPlatform: true }));
    for (const changes of [made, gone]) (await offers.commit([{ changes }]))._unsafeUnwrap();
    return gone.map(({ offer }) => offer);
  };
  const archiving = async (some: readonly Offer[], n: number): Promise<void> => {
    const place = { segment: segment(n), offset: 0, length: 1, archivedAtUs: 1 };
    const moves = some.map((offer) => archiveMoveOf(offer, place, { shards: 4, stripe: 0 }));
    expect((await archive.move(moves))._unsafeUnwrap()).toEqual([]);
    const pointers = moves.map(({ pointer }) => ({ ...pointer, segment: segment(n + 1) }));
    (await archive.rewrite({ segment: segment(n), pointers, outbox: [] }))._unsafeUnwrap();
    expect((await archive.condemn(segment(n + 1)))._unsafeUnwrap()).toBe(false);
  };
  await archiving(await ended(1_000), 1);
  await db.pool.query(`insert into gost.archive
    select 'OLD' || n, 's' || n % 100, 1, decode(lpad(to_hex(1000 + n / 500), 64, '0'), 'hex'), 0, 1, 1 from generate_series(1, 50000) n`);
  await db.pool.query(
    `insert into gost.timer (what, shard, at_us, offer_id) select 2, n % 4, n, 'OLD' || n from generate_series(1, 50000) n`,
  );
  await db.pool.query(
    `insert into gost.offer_history select 'OLD' || n, 1, '' from generate_series(1, 50000) n`,
  );
  await db.pool.query(`insert into gost.archive_condemned (segment)
    select decode(lpad(to_hex(2000 + n), 64, '0'), 'hex') from generate_series(1, 5000) n`);
  const some = await ended(2_000);
  const before = await scans();
  await archiving(some, 10);
  expect(await scans()).toEqual(before);
});

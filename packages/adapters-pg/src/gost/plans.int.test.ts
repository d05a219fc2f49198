import { afterAll, beforeAll, expect, test } from 'vitest';
import { alteration, jsonGostCodecs, publication, sampleSeller } from '@doska/core/gost/testing';
import { realClock } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '../../../../tests/setup/database.ts';
import { pgGostStores } from './pg-gost-stores.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase({ max: 1 }); // one connection, so that its plans are the old ones
});
afterAll(() => db.drop());

const scans = async (): Promise<Record<string, string>> => {
  await db.pool.query('select pg_stat_force_next_flush()');
  const { rows } = await db.pool.query<{ relname: string; seq_scan: string }>(
    `select relname, seq_scan from pg_stat_user_tables where schemaname = 'gost'`,
  );
  return Object.fromEntries(rows.map(({ relname, seq_scan }) => [relname, seq_scan]));
};

test('[G12] a commit and a repair planned on empty tables find their rows by key after the tables have grown', async () => {
  const { offers, cabinet } = pgGostStores({ pool: db.pool, codecs: jsonGostCodecs, clock: realClock });
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

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backendName, openYdb, type OpenYdb } from '../packages/adapters-ydb/src/testing/open-ydb.ts';
import {
  runningPlatform,
  type RunningPlatform,
} from '../packages/apps/platform/src/testing/running-platform.ts';

const folder = mkdtempSync(join(tmpdir(), 'doska-ydb-ctr-'));
let database: FreshDatabase;
let ydb: OpenYdb;
let platform: RunningPlatform;

beforeAll(async () => {
  [database, ydb] = await Promise.all([freshDatabase(), openYdb()]);
  platform = await runningPlatform('ydb', database, {
    DOSKA_STORE: 'ydb',
    YDB_CONNECTION_STRING: ydb.connectionString,
    DOSKA_YDB_DIRECTORY: `e2e-${Date.now()}`,
    DOSKA_PARTITIONS: '2',
    DOSKA_GOST_EXPORT_SHARDS: '2',
    DOSKA_VASGEN_SHARDS: '2',
    DOSKA_SEARCH_CTR_DIR: folder,
    DOSKA_SEARCH_CTR_LOAD_EVERY_MS: '200',
    DOSKA_SEARCH_CTR_RESEND_EVERY_MS: '200',
    DOSKA_SEARCH_RATE_PER_MINUTE: '1000000',
  });
}, 120_000);
afterAll(async () => {
  await platform?.stop();
  await ydb?.close();
  rmSync(folder, { recursive: true, force: true });
});

const send = async (method: string, path: string, role: string, body?: unknown): Promise<Response> =>
  fetch(`${platform.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await platform.tokenOf(role)}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const call = async <T>(method: string, path: string, body?: unknown, role = 'operator'): Promise<T> => {
  const answer = await send(method, path, role, body);
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return JSON.parse(text) as T;
};
const publish = async (title: string, minorUnits: string): Promise<string> => {
  const role = 'seller:ann';
  const { draft } = await call<{ draft: { id: string } }>('POST', '/v1/drafts:current', {}, role);
  const text = { title, price: { minorUnits, currency: 'RUB' }, contacts: { phone: '+7 900 000-00-00' } };
  await call('PUT', `/v1/drafts/${draft.id}`, { categoryId: 'rodents', text }, role);
  const { offer } = await call<{ offer: { offerId: string } }>(
    'POST',
    `/v1/drafts/${draft.id}:publish`,
    {},
    role,
  );
  return offer.offerId;
};
const found = async (query: string): Promise<readonly string[]> => {
  const { offers } = await call<{ offers: { offerId: string }[] }>('GET', `/v1/search?text=degu${query}`);
  return offers.map(({ offerId }) => offerId);
};
const seen = (query: string, ids: readonly string[]): Promise<void> =>
  eventually(async () => expect((await found(query)).toSorted()).toEqual(ids.toSorted()), {
    withinMs: 30_000,
  });
/** A table that was written a while ago: a young file may still be written. */
const tableFile = (path: string, text: string): void => {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  const before = Date.now() / 1_000 - 60;
  utimesSync(file, before, before);
};
/** Tables of PostgreSQL that hold rows, besides those that are there in every configuration. */
const rowsInPostgres = async (): Promise<readonly string[]> => {
  const tables = await database.pool.query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_schema in ('gost', 'vasgen', 'snippets', 'search')`,
  );
  const filled: string[] = [];
  for (const { name } of tables.rows)
    if ((await database.pool.query(`select from ${name} limit 1`)).rowCount !== 0) filled.push(name);
  return filled;
};

test(`[G12] [S1] [V3] [F9] [S5] the whole platform on ${backendName}, by DOSKA_STORE=ydb alone`, async () => {
  await eventually(async () => expect((await send('GET', '/readyz', 'operator')).status).toBe(200), {
    withinMs: 30_000,
  });
  // Published, found, filtered.
  const cheap = await publish('Degu one', '100000');
  const dear = await publish('Degu two', '900000');
  await seen('', [cheap, dear]);
  await seen('&filter=price:..2000', [cheap]);
  // Click rates change the order.
  tableFile('weekly/2026-11-16.csv', `offer_id,ctr\n${cheap},0.1\n${dear},0.9\n`);
  await eventually(async () =>
    expect(await call('GET', '/v1/search/ctr')).toMatchObject({ current: { table: '2026-11-16.csv' } }),
  );
  tableFile('hourly/2026-11-18T13.ndjson', `{"offer_id":"${cheap}"}\n{"offer_id":"${dear}"}\n`);
  await eventually(async () => expect(await found('')).toEqual([dear, cheap]), { withinMs: 30_000 });
  tableFile('weekly/2026-11-17.csv', `offer_id,ctr\n${cheap},0.9\n${dear},0.1\n`);
  await eventually(async () =>
    expect(await call('GET', '/v1/search/ctr')).toMatchObject({ current: { table: '2026-11-17.csv' } }),
  );
  tableFile('hourly/2026-11-18T14.ndjson', `{"offer_id":"${cheap}"}\n{"offer_id":"${dear}"}\n`);
  await eventually(async () => expect(await found('')).toEqual([cheap, dear]), { withinMs: 30_000 });
  // Banned and gone.
  await call('POST', `/v1/offers/${cheap}:ban`, { reasons: ['test'], editable: false, opinionVersion: '1' });
  await seen('', [dear]);
  // A snippet is stored, read, and deleted.
  const path = `/chains/1.x/${dear}`;
  expect((await send('PUT', path, 'service', { stars: 5 })).status).toBe(200);
  expect(await call('GET', path)).toEqual({ 'chains/1.x': { stars: 5 } });
  expect((await send('DELETE', path, 'service')).status).toBe(200);
  expect((await send('GET', path, 'operator')).status).toBe(404);
});
test('[G12] [B9] [B11] PostgreSQL holds none of it, and only the leases of its own log', async () => {
  expect(await rowsInPostgres()).toEqual([]);
  const values = await database.pool.query<{ space: string; key: string }>(
    'select space, key from stored_value',
  );
  expect(values.rows).toEqual([{ space: 'platform', key: 'lease-store' }]);
  const leases = await database.pool.query<{ name: string }>('select name from lease_set');
  expect(leases.rows.length).toBeGreaterThan(0);
  expect(leases.rows.filter(({ name }) => !name.startsWith('log/'))).toEqual([]);
});

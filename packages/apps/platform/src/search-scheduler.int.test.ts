import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { vasgenCodecs } from '@doska/adapters-proto';
import { Tokens } from '@doska/app-composition';
import { deletionOf } from '@doska/core/search';
import { LIVE_TOPIC } from '@doska/core/vasgen';
import { eventually } from '@doska/core/kernel/testing';
import { freshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runningPlatform, type RunningPlatform } from './testing/running-platform.ts';

const BIN = fileURLToPath(new URL('../../cli/bin/doska.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'doska-ctr-'));
let platform: RunningPlatform;
let ids: readonly string[];

const call = async <T>(method: string, path: string, body?: unknown, role = 'operator'): Promise<T> => {
  const answer = await fetch(`${platform.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await platform.tokenOf(role)}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return JSON.parse(text) as T;
};
const publish = async (title: string): Promise<string> => {
  const role = 'seller:ann';
  const { draft } = await call<{ draft: { id: string } }>('POST', '/v1/drafts:current', {}, role);
  const text = {
    title,
    price: { minorUnits: '100', currency: 'RUB' },
    contacts: { phone: '+7 900 000-00-00' },
  };
  await call('PUT', `/v1/drafts/${draft.id}`, { categoryId: 'rodents', text }, role);
  const published = await call<{ offer: { offerId: string } }>(
    'POST',
    `/v1/drafts/${draft.id}:publish`,
    {},
    role,
  );
  return published.offer.offerId;
};
/** The found offers, best first. */
const found = async (): Promise<readonly string[]> => {
  const { offers } = await call<{ offers: { offerId: string }[] }>('GET', '/v1/search?text=degu');
  return offers.map(({ offerId }) => offerId);
};
const tableFile = (path: string, text: string): string => {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  // Written a while ago: a young file may still be written.
  const before = Date.now() / 1_000 - 60;
  utimesSync(file, before, before);
  return file;
};
const doskaAs = async (role: string, ...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [BIN, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DOSKA_URL: platform.host.run.grpcAddress,
      DOSKA_TOKEN: await platform.tokenOf(role),
    },
  });
const doska = (...args: readonly string[]) => doskaAs('service', ...args);

beforeAll(async () => {
  platform = await runningPlatform('ctr', await freshDatabase(), {
    DOSKA_SEARCH_CTR_DIR: folder,
    DOSKA_SEARCH_PARK_RETRY_MS: '3600000',
    DOSKA_SEARCH_CTR_LOAD_EVERY_MS: '100',
    DOSKA_SEARCH_CTR_RESEND_EVERY_MS: '100',
    DOSKA_SEARCH_RATE_PER_MINUTE: '1000000',
  });
  ids = [await publish('Degu one'), await publish('Degu two'), await publish('Degu three')];
  await eventually(async () => expect(await found()).toHaveLength(3), { withinMs: 30_000 });
});
afterAll(async () => {
  await platform?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const [ONE, TWO, THREE] = [0, 1, 2] as const;
const weekly = (rates: Readonly<Record<number, number>>): string =>
  ['offer_id,ctr', ...Object.entries(rates).map(([n, ctr]) => `${ids[Number(n)]},${ctr}`), ''].join('\n');

test('[S5] tables of the folder are loaded, and the offers of an hourly table are ranked by their new rates', async () => {
  tableFile('weekly/2026-11-16.csv', weekly({ [ONE]: 0.9, [TWO]: 0.1, [THREE]: 0.5 }));
  await eventually(async () =>
    expect(await call('GET', '/v1/search/ctr')).toMatchObject({
      current: { table: '2026-11-16.csv', rows: '3' },
    }),
  );
  tableFile('hourly/2026-11-18T13.ndjson', ids.map((id) => `{"offer_id":"${id}"}\n`).join(''));
  const best = [ids[ONE], ids[THREE], ids[TWO]];
  await eventually(async () => expect(await found()).toEqual(best), { withinMs: 30_000 });
  expect(await call('GET', '/v1/search/ctr')).toMatchObject({
    hourly: [{ table: '2026-11-18T13.ndjson', offers: '3' }],
  });
});

test('[S5] doska ctr load takes a table, and doska ctr status tells of it', async () => {
  const file = tableFile('sent.csv', weekly({ [ONE]: 0.1, [TWO]: 0.9, [THREE]: 0.5 }));
  const { stdout } = await doska('ctr', 'load', file, '--kind', 'weekly');
  expect(stdout).toContain('3 rates are used from now on.');
  const seen = tableFile('seen.csv', ['offer_id', ...ids, ''].join('\n'));
  await doska('ctr', 'load', seen, '--kind', 'hourly', '--name', 'by-hand');
  const best = [ids[TWO], ids[THREE], ids[ONE]];
  await eventually(async () => expect(await found()).toEqual(best), { withinMs: 30_000 });
  const status = await doska('ctr', 'status');
  expect(status.stdout).toMatch(/^used: sent\.csv, 3 rows, /);
  expect(status.stdout).toContain('by-hand');
  const json = JSON.parse((await doska('--json', 'ctr', 'status')).stdout) as { current: object };
  expect(json.current).toMatchObject({ table: 'sent.csv', rows: 3 });
}, 240_000);

test('[S5] doska ctr load names the line of a wrong table, and the rates before it stay', async () => {
  const cut = tableFile('cut.csv', weekly({ [ONE]: 0.9 }).slice(0, -2));
  await expect(doska('ctr', 'load', cut, '--kind', 'weekly')).rejects.toMatchObject({
    code: 77,
    stderr: expect.stringContaining('line 2: the line has no end: the table is cut') as string,
  });
  const wrong = await fetch(`${platform.url}/v1/search/ctr:appendRates`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await platform.tokenOf('service')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ table: 'x', rows: [{ offerId: ids[ONE], ctr: -1 }], isLast: true }),
  });
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('rows[0]')]);
  expect(await call('GET', '/v1/search/ctr')).toMatchObject({ current: { table: 'sent.csv' } });
}, 240_000);

test('[S5] buyers and sellers neither load click rates nor read their status', async () => {
  for (const role of ['seller:ann', ''])
    expect(
      (
        await fetch(`${platform.url}/v1/search/ctr`, {
          headers: { authorization: `Bearer ${await platform.tokenOf(role)}` },
        })
      ).status,
    ).toBe(403);
});

test('[S4] doska scheduler parks an offer, lists it with its reason, and sends it again', async () => {
  const operator = (...args: readonly string[]) => doskaAs('operator', 'scheduler', ...args);
  const id = ids[ONE]!;
  await operator('park', id, '--reason', 'looks odd');
  const { stdout } = await operator('parked');
  expect(stdout).toMatch(new RegExp(`${id} +operator .*looks odd`));
  const listed = await call<{ offers: object[] }>('GET', '/v1/search/parked');
  expect(listed.offers).toMatchObject([
    { offerId: id, cause: 'PARK_CAUSE_OPERATOR', reason: 'looks odd', attempts: 0 },
  ]);
  expect((await operator('unpark', id)).stdout).toContain('is not parked any more');
  expect((await operator('parked')).stdout).toBe('No offer is parked.\n');
  await expect(operator('unpark', id)).rejects.toMatchObject({
    code: 77,
    stderr: expect.stringContaining(`offer ${id} is not parked`) as string,
  });
  await expect(operator('park', 'nonsense')).rejects.toMatchObject({ code: 77 });
  await expect(doskaAs('service', 'scheduler', 'parked')).rejects.toMatchObject({ code: 77 });
}, 240_000);

test('[S4] a document that the receiver refuses is composed anew and found again', async () => {
  const { epochs } = await call<{ epochs: { epoch: string }[] }>('GET', '/v1/vasgen/offers/epochs');
  const log = platform.host.container.get(Tokens.log);
  const broken = {
    ...deletionOf(ids[TWO]!, Date.now() * 1_000, {
      epoch: Number(epochs[0]!.epoch),
      composedAtMs: Date.now(),
    }),
    event: 'upsert' as const,
    // No field of this epoch has this kind.
    fields: [{ name: 'price', kind: 'text' as const, multiple: false, value: 'cheap' }],
  };
  const value = vasgenCodecs.batch.encode({ client: 'offers', documents: [broken] });
  (await log.publish([{ topic: LIVE_TOPIC, key: '0', value }]))._unsafeUnwrap();
  await eventually(async () => {
    const { offers } = await call<{ offers: object[] }>('GET', '/v1/search/parked');
    expect(offers).toMatchObject([{ offerId: ids[TWO], cause: 'PARK_CAUSE_REJECTED' }]);
  });
  expect(await found()).toContain(ids[TWO]);
});

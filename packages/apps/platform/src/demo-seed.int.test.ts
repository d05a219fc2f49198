import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '@doska/core/kernel/testing';
import { freshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runningPlatform, type RunningPlatform } from './testing/running-platform.ts';

const BIN = fileURLToPath(new URL('../../cli/bin/doska.mjs', import.meta.url));
let platform: RunningPlatform;
beforeAll(async () => {
  platform = await runningPlatform('demo-seed', await freshDatabase(), {
    DOSKA_SEARCH_CTR_RESEND_EVERY_MS: '200',
  });
}, 60_000);
afterAll(() => platform?.stop());

type Seeded = { readonly published: number; readonly there: number; readonly rates: object };
const seed = async (...args: readonly string[]): Promise<Seeded> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [BIN, '--json', 'demo', 'seed', '--sellers', '5', ...args],
    {
      env: {
        PATH: process.env['PATH'] ?? '',
        DOSKA_URL: platform.host.run.grpcAddress,
        DOSKA_TOKEN: await platform.tokenOf('service'),
      },
    },
  );
  return JSON.parse(stdout) as Seeded;
};
const get = async <T>(path: string): Promise<T> => {
  const answer = await fetch(`${platform.url}${path}`, {
    headers: { authorization: `Bearer ${await platform.tokenOf('service')}` },
  });
  return (await answer.json()) as T;
};
const totalOf = async (query = ''): Promise<number> =>
  Number((await get<{ total: string }>(`/v1/search?page_size=1&${query}`)).total);

test('[C6] doska demo seed makes offers with pictures and click rates, goes on where it stopped, and makes none twice', async () => {
  expect(await seed('--offers', '20', '--no-rates')).toMatchObject({ published: 20, there: 0 });
  const first = await seed('--offers', '60');
  expect(first).toMatchObject({ published: 40, there: 20, rates: { kind: 'loaded' } });
  const { rows } = first.rates as { readonly rows: number };
  expect(rows).toBeGreaterThan(5);
  await eventually(async () => expect(await totalOf()).toBe(60), { withinMs: 30_000 });
  await eventually(async () => expect(await totalOf('filter=withPhoto:true')).toBeGreaterThan(0), {
    withinMs: 30_000,
  });
  expect(await get('/v1/search/ctr')).toMatchObject({
    current: { table: `demo-1-${rows}`, rows: String(rows) },
    hourly: [{ table: `demo-1-${rows}`, offers: String(rows) }],
  });
  await eventually(async () => expect(await get('/v1/search/ctr')).toMatchObject({ queued: '0' }));
  expect(await seed('--offers', '60')).toEqual({
    ...first,
    published: 0,
    there: 60,
    rates: { kind: 'there', rows },
  });
  expect(await totalOf()).toBe(60);
}, 120_000);

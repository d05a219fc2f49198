import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from 'neverthrow';
import { offerIdFrom } from '@doska/core/gost';
import type { Parking } from '@doska/core/search';
import { sampleOffer } from '@doska/core/search/testing';
import type { YdbClient } from '../driver/client.ts';
import { openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import { ydbCtrStores } from './ydb-ctr-stores.ts';
import { ydbParkingLot } from './ydb-parking-lot.ts';

let db: OpenYdb;
let client: YdbClient;
beforeAll(async () => {
  db = await openYdb();
  ({ client } = await openDirectory(db, { only: 'search' }));
});
afterAll(async () => {
  await client.close();
  await db.close();
});
const parking = (n: number): Parking => ({
  offerId: offerIdFrom([n & 31, n >> 5, ...Array<number>(10).fill(7)]),
  cause: 'conversion',
  reason: 'ж'.repeat(1_000),
  versionUs: 1,
  atMs: 1,
  retryAtMs: 10_000 - n,
});

test('[S4] many offers with long reasons are parked in one call; the longest due are found over all buckets', async () => {
  const lot = ydbParkingLot(client);
  const offers = Array.from({ length: 1_000 }, (_, n) => parking((n * 7) % 1_000));
  expect(await lot.park(offers)).toEqual(ok(undefined));
  expect((await lot.count())._unsafeUnwrap()).toBe(offers.length);
  const oldest = offers.toSorted((a, b) => a.retryAtMs - b.retryAtMs).slice(0, 20);
  expect((await lot.due(10_000, 20))._unsafeUnwrap().map(({ retryAtMs }) => retryAtMs)).toEqual(
    oldest.map(({ retryAtMs }) => retryAtMs),
  );
});
test('[S5] a rate is read back as the same number', async () => {
  const { rates } = ydbCtrStores(client);
  const values = [0, 1, 0.1 + 0.2, 1 / 3, 1e-7, Number.MIN_VALUE];
  const put = values.map((ctr, n) => ({ offerId: sampleOffer(n), ctr }));
  expect(await rates.put(10, put)).toEqual(ok(undefined));
  const found = (
    await rates.rates(
      10,
      put.map(({ offerId }) => offerId),
    )
  )._unsafeUnwrap();
  expect(put.map(({ offerId }) => found.get(offerId))).toEqual(values);
});
test('[S5] the next epoch is the lowest of all buckets', async () => {
  const { rates } = ydbCtrStores(client);
  for (let n = 0; n < 30; n++)
    expect(await rates.put(1_000 - n, [{ offerId: sampleOffer(n), ctr: 0.5 }])).toEqual(ok(undefined));
  const found: (number | undefined)[] = [];
  for (let after: number | undefined = 960; after !== undefined;)
    found.push((after = (await rates.nextEpoch(after))._unsafeUnwrap()));
  expect(found).toEqual([...Array.from({ length: 30 }, (_, n) => 971 + n), undefined]);
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ResultAsync } from 'neverthrow';
import { seededRandom } from '@doska/core/kernel/testing';
import type { CtrStores, Parking, ParkingLot } from '@doska/core/search';
import { ctrStoresContract, parkingLotContract, sampleOffer } from '@doska/core/search/testing';
import type { YdbClient } from '../driver/client.ts';
import { LOST_ANSWERS, losing, shortCalls } from '../testing/lost-answer.ts';
import { backendName, openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import { planHiddenFaults, quickRetries } from '../testing/plan-faults.ts';
import { ydbCtrStores } from './ydb-ctr-stores.ts';
import { ydbParkingLot } from './ydb-parking-lot.ts';

let db: OpenYdb;
beforeAll(async () => {
  db = await openYdb();
});
afterAll(() => db.close());
afterEach(() => db.standIn?.faults.clear());

let seed = 0;
const refusing = async () => {
  const opened = await openDirectory(db, { only: 'search', retry: quickRetries });
  if (db.standIn) planHiddenFaults(db.standIn, { random: seededRandom(++seed), times: 4, oneIn: 20 });
  return opened;
};
ctrStoresContract(`${backendName} that refuses calls`, {
  open: async () => {
    const { client, close } = await refusing();
    return { stores: ydbCtrStores(client), close };
  },
});
parkingLotContract(`${backendName} that refuses calls`, {
  open: async () => {
    const { client, close } = await refusing();
    return { lot: ydbParkingLot(client), close };
  },
});

const offer = sampleOffer(1);
const parking: Parking = {
  offerId: offer,
  cause: 'conversion',
  reason: 'no category',
  versionUs: 500,
  atMs: 1_000,
  retryAtMs: 2_000,
};
const change = { reason: 'still', attempts: 1, retryAtMs: 9_000, sent: true };
const value = async <T>(outcome: ResultAsync<T, unknown>): Promise<T> => (await outcome)._unsafeUnwrap();

describe.each(LOST_ANSWERS)('[G12] the commit has happened, and %s', (_, fault) => {
  let client: YdbClient;
  let ctr: CtrStores;
  let lot: ParkingLot;
  const lose = async (heard: 'done' | 'unknown', work: () => ResultAsync<unknown, unknown>) => {
    if (db.standIn) await losing(db.standIn, fault, heard, work);
    else await work();
  };
  beforeAll(async () => {
    ({ client } = await openDirectory(db, { only: 'search', retry: quickRetries, ...shortCalls }));
    ctr = ydbCtrStores(client);
    lot = ydbParkingLot(client);
  });
  afterAll(() => client.close());

  test('[S5] rates are stored and purged once', async () => {
    await lose('done', () => ctr.rates.put(10, [{ offerId: offer, ctr: 0.25 }]));
    expect(await value(ctr.rates.count(10))).toBe(1);
    await lose('done', () => ctr.rates.purge(10, 9));
    expect(await value(ctr.rates.nextEpoch(0))).toBeUndefined();
  });
  test('[S5] an offer is queued once and leaves', async () => {
    await lose('done', () => ctr.queue.add('t1', [offer]));
    expect(await value(ctr.queue.count())).toBe(1);
    await lose('done', () => ctr.queue.remove([{ table: 't1', offerId: offer }]));
    expect(await value(ctr.queue.count())).toBe(0);
  });
  test('[S4] an offer is parked, and a retry settles it at its revision or not at all', async () => {
    await lose('done', () => lot.park([parking]));
    const [parked] = await value(lot.find([offer]));
    expect(parked).toMatchObject({ sinceMs: 1_000, attempts: 0, sent: false });
    await lose('unknown', () => lot.settle(offer, parked!.revision, change));
    expect(await value(lot.find([offer]))).toMatchObject([{ ...change, revision: parked!.revision + 1 }]);
    expect(await value(lot.settle(offer, parked!.revision, undefined))).toBe(false);
    expect((await value(lot.due(9_000, 9))).map(({ offerId }) => offerId)).toEqual([offer]);
    await lose('unknown', () => lot.settle(offer, parked!.revision + 1, undefined));
    expect([await value(lot.count()), await value(lot.due(9_000, 9))]).toEqual([0, []]);
  });
});

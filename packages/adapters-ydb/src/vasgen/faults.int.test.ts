import { afterAll, afterEach, beforeAll } from 'vitest';
import { seededRandom } from '@doska/core/kernel/testing';
import {
  vasgenConvergenceContract,
  vasgenStoreContracts,
  type VasgenHarness,
} from '@doska/core/vasgen/testing';
import { backendName, openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import { planHiddenFaults, planLostAnswers, quickRetries } from '../testing/plan-faults.ts';
import { repeatUnknown } from '../testing/repeat-unknown.ts';
import { ydbVasgenStores } from './ydb-vasgen-stores.ts';

const RUNS = process.env['DOSKA_TEST_LONG'] ? 30 : 5;
let db: OpenYdb;
beforeAll(async () => {
  db = await openYdb();
});
afterAll(() => db.close());
afterEach(() => db.standIn?.faults.clear());

let seed = 0;
const opened = async () => {
  const { client, close } = await openDirectory(db, { only: 'vasgen', retry: quickRetries });
  return { client, close, random: seededRandom(++seed) };
};
const hidden: VasgenHarness = {
  open: async () => {
    const { client, close, random } = await opened();
    if (db.standIn) planHiddenFaults(db.standIn, { random, times: 4, oneIn: 20 });
    const again = () => ydbVasgenStores(client);
    return { stores: again(), again, close };
  },
};
const lost: VasgenHarness = {
  open: async () => {
    const { client, close, random } = await opened();
    if (db.standIn) {
      planHiddenFaults(db.standIn, { random, times: 4, oneIn: 20 });
      planLostAnswers(db.standIn, { random, times: 3, oneIn: 20 });
    }
    const again = () => repeatUnknown(ydbVasgenStores(client));
    return { stores: again(), again, close };
  },
};
// On a real server there are no planned faults, and these are the suites once more.
vasgenStoreContracts(`${backendName} that refuses calls`, hidden);
vasgenConvergenceContract(`${backendName} that refuses calls and loses answers`, lost, { runs: RUNS });

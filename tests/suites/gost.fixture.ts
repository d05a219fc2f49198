import {
  gostContracts,
  inMemoryGostStores,
  meddleInMemory,
  meddleTotalInMemory,
} from '@doska/core/gost/testing';
import { memoryDatabase, realClock } from '@doska/core/kernel/testing';
import type { GostStores } from '@doska/core/gost';
import { RIGHT } from './breakage.ts';
import { brokenGost } from './broken-gost.ts';

const suite = (name: string, broken: (right: GostStores) => GostStores): void =>
  gostContracts(name, {
    open: async () => {
      const db = memoryDatabase({ nowMs: realClock.nowMs });
      const again = (): GostStores => broken(inMemoryGostStores(db));
      return {
        ...{ stores: again(), again, close: async () => {} },
        meddle: async (list, by) => meddleInMemory(db, list, by),
        meddleTotal: async (seller, move) => meddleTotalInMemory(db, seller, move),
      };
    },
  });

suite(RIGHT, (right) => right);
for (const { name, broken } of brokenGost) suite(name, broken);

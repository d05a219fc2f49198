import {
  gostContracts,
  inMemoryGostStores,
  jsonGostCodecs,
  corruptCountInMemory,
  corruptTotalInMemory,
} from '@doska/core/gost/testing';
import { memoryDatabase, realClock } from '@doska/core/kernel/testing';
import type { GostStores } from '@doska/core/gost';
import { RIGHT } from './breakage.ts';
import { brokenGost } from './broken-gost.ts';

const suite = (name: string, broken: (right: GostStores) => GostStores): void =>
  gostContracts(name, {
    codecs: jsonGostCodecs,
    open: async () => {
      const db = memoryDatabase({ nowMs: realClock.nowMs });
      const again = (): GostStores => broken(inMemoryGostStores(db));
      return {
        stores: again(),
        again,
        close: async () => {},
        corruptCount: async (list, by) => corruptCountInMemory(db, list, by),
        corruptTotal: async (seller, move) => corruptTotalInMemory(db, seller, move),
      };
    },
  });

suite(RIGHT, (right) => right);
for (const { name, broken } of brokenGost) suite(name, broken);

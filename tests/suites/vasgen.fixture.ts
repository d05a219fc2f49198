import { memoryDatabase, realClock } from '@doska/core/kernel/testing';
import type { VasgenStores } from '@doska/core/vasgen';
import { inMemoryVasgenStores, vasgenStoreContracts } from '@doska/core/vasgen/testing';
import { RIGHT } from './breakage.ts';
import { brokenVasgen } from './broken-vasgen.ts';

const suite = (name: string, broken: (right: VasgenStores) => VasgenStores): void =>
  vasgenStoreContracts(name, {
    open: async () => {
      const db = memoryDatabase({ nowMs: realClock.nowMs });
      const again = (): VasgenStores => broken(inMemoryVasgenStores(db));
      return { stores: again(), again, close: async () => {} };
    },
  });

suite(RIGHT, (right) => right);
for (const { name, broken } of brokenVasgen) suite(name, broken);

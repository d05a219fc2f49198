import { memoryDatabase } from '@doska/core/kernel/testing';
import type { CtrStores } from '@doska/core/search';
import { ctrStoresContract, inMemoryCtrStores } from '@doska/core/search/testing';
import { RIGHT } from './breakage.ts';
import { brokenCtrStores } from './broken-ctr.ts';

const suite = (name: string, broken: (right: CtrStores) => CtrStores): void => {
  ctrStoresContract(name, {
    open: async () => ({
      stores: broken(inMemoryCtrStores(memoryDatabase({ nowMs: () => 0 }))),
      close: async () => {},
    }),
  });
};
suite(RIGHT, (right) => right);
for (const { name, broken } of brokenCtrStores) suite(name, broken);

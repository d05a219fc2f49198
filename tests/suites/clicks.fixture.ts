import { memoryDatabase } from '@doska/core/kernel/testing';
import type { ClickCountStore } from '@doska/core/search';
import { clickCountsContract, inMemoryClickCounts } from '@doska/core/search/testing';
import { RIGHT } from './breakage.ts';
import { brokenClickCounts } from './broken-clicks.ts';

const suite = (name: string, broken: (right: ClickCountStore) => ClickCountStore): void => {
  clickCountsContract(name, {
    open: async () => ({
      store: broken(inMemoryClickCounts(memoryDatabase({ nowMs: () => 0 }))),
      close: async () => {},
    }),
  });
};
suite(RIGHT, (right) => right);
for (const { name, broken } of brokenClickCounts) suite(name, broken);

import { memoryDatabase } from '../../kernel/testing.ts';
import { ctrStoresContract } from './ctr-stores.contract.ts';
import { inMemoryCtrStores } from './in-memory-ctr-stores.ts';

for (const mode of ['plain', 'constrained'] as const)
  ctrStoresContract(`memory, ${mode}`, {
    open: async () => ({
      stores: inMemoryCtrStores(memoryDatabase({ nowMs: () => 0, mode })),
      close: async () => {},
    }),
  });

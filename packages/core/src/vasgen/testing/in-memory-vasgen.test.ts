import { memoryDatabase, realClock } from '../../kernel/testing.ts';
import { inMemoryVasgenStores } from './in-memory-vasgen.ts';
import { vasgenStoreContracts } from './vasgen-stores.contract.ts';

for (const mode of ['plain', 'constrained'] as const)
  vasgenStoreContracts(`memory, ${mode}`, {
    open: async () => {
      const db = memoryDatabase({ nowMs: () => realClock.nowMs(), mode });
      return {
        stores: inMemoryVasgenStores(db),
        again: () => inMemoryVasgenStores(db),
        close: async () => {},
      };
    },
  });

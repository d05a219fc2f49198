import { memoryDatabase, realClock } from '../../kernel/testing.ts';
import { inMemoryVasgenStores } from './in-memory-vasgen.ts';
import { vasgenConvergenceContract } from './vasgen-convergence.contract.ts';
import type { VasgenHarness } from './vasgen-harness.ts';
import { vasgenStoreContracts } from './vasgen-stores.contract.ts';

for (const mode of ['plain', 'constrained'] as const) {
  const harness: VasgenHarness = {
    open: async () => {
      const db = memoryDatabase({ nowMs: () => realClock.nowMs(), mode });
      return {
        stores: inMemoryVasgenStores(db),
        again: () => inMemoryVasgenStores(db),
        close: async () => {},
      };
    },
  };
  vasgenStoreContracts(`memory, ${mode}`, harness);
  vasgenConvergenceContract(`memory, ${mode}`, harness, { runs: 500 });
}

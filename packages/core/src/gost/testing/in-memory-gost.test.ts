import { memoryDatabase, realClock } from '../../kernel/testing.ts';
import { gostContracts } from './gost.contract.ts';
import { inMemoryGostStores, meddleInMemory, meddleTotalInMemory, type GostHarness } from './gost-stores.ts';

for (const mode of ['plain', 'constrained'] as const) {
  const harness: GostHarness = {
    open: async () => {
      const db = memoryDatabase({ nowMs: () => realClock.nowMs(), mode });
      const again = () => inMemoryGostStores(db);
      const meddle: Awaited<ReturnType<GostHarness['open']>>['meddle'] = async (list, by) =>
        meddleInMemory(db, list, by);
      const meddleTotal: Awaited<ReturnType<GostHarness['open']>>['meddleTotal'] = async (seller, move) =>
        meddleTotalInMemory(db, seller, move);
      return { stores: again(), again, meddle, meddleTotal, close: async () => {} };
    },
  };
  gostContracts(`memory, ${mode}`, harness);
}

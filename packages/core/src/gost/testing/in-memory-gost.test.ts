import { memoryDatabase, realClock } from '../../kernel/testing.ts';
import { cabinetContract } from './cabinet.contract.ts';
import { draftStoreContract } from './draft-store.contract.ts';
import { exportQueueContract } from './export-queue.contract.ts';
import { inMemoryGostStores, meddleInMemory, type GostHarness } from './gost-stores.ts';
import { offerStoreContract } from './offer-store.contract.ts';

for (const mode of ['plain', 'constrained'] as const) {
  const harness: GostHarness = {
    open: async () => {
      const db = memoryDatabase({ nowMs: () => realClock.nowMs(), mode });
      const again = () => inMemoryGostStores(db);
      const meddle: Awaited<ReturnType<GostHarness['open']>>['meddle'] = async (list, by) =>
        meddleInMemory(db, list, by);
      return { stores: again(), again, meddle, close: async () => {} };
    },
  };
  for (const contract of [offerStoreContract, draftStoreContract, exportQueueContract, cabinetContract])
    contract(`memory, ${mode}`, harness);
}

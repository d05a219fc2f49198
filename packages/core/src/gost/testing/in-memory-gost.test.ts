import { memoryDatabase, realClock } from '../../kernel/testing.ts';
import { gostContracts } from './gost.contract.ts';
import {
  inMemoryGostStores,
  corruptCountInMemory,
  corruptTotalInMemory,
  type GostHarness,
} from './gost-stores.ts';
import { jsonGostCodecs } from './json-codecs.ts';

for (const mode of ['plain', 'constrained'] as const) {
  const harness: GostHarness = {
    codecs: jsonGostCodecs,
    open: async () => {
      const db = memoryDatabase({ nowMs: () => realClock.nowMs(), mode });
      const again = () => inMemoryGostStores(db);
      const corruptCount: Awaited<ReturnType<GostHarness['open']>>['corruptCount'] = async (list, by) =>
        corruptCountInMemory(db, list, by);
      const corruptTotal: Awaited<ReturnType<GostHarness['open']>>['corruptTotal'] = async (seller, move) =>
        corruptTotalInMemory(db, seller, move);
      return { stores: again(), again, corruptCount, corruptTotal, close: async () => {} };
    },
  };
  gostContracts(`memory, ${mode}`, harness);
}

import { randomUUID } from 'node:crypto';
import { memoryDatabase, realClock } from '../../kernel/testing.ts';
import { catalogStoreContract } from './catalog-store.contract.ts';
import { inMemoryCatalogStore, jsonCatalogCodec } from './in-memory-catalog-store.ts';

for (const mode of ['plain', 'constrained'] as const) {
  catalogStoreContract(`memory, ${mode}`, {
    open: async (keep) => {
      const db = memoryDatabase({ nowMs: () => realClock.nowMs(), mode });
      const again = () => inMemoryCatalogStore({ db, codec: jsonCatalogCodec, newUpload: randomUUID, keep });
      return { store: again(), again, close: async () => {} };
    },
  });
}

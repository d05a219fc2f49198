import { memoryDatabase, realClock } from '../../kernel/testing.ts';
import { feedStoresContract } from './feed-stores.contract.ts';
import { inMemoryFeedStores } from './in-memory-feed-stores.ts';

for (const mode of ['plain', 'constrained'] as const)
  feedStoresContract(`memory, ${mode}`, {
    open: async () => ({
      stores: inMemoryFeedStores(memoryDatabase({ nowMs: () => realClock.nowMs(), mode })),
      close: async () => {},
    }),
  });

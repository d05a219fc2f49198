import { memoryDatabase } from '../../kernel/testing.ts';
import { clickCountsContract } from './click-counts.contract.ts';
import { inMemoryClickCounts } from './in-memory-click-counts.ts';

for (const mode of ['plain', 'constrained'] as const)
  clickCountsContract(`memory, ${mode}`, {
    open: async () => ({
      store: inMemoryClickCounts(memoryDatabase({ nowMs: () => 0, mode })),
      close: async () => {},
    }),
  });

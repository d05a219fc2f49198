import { memoryDatabase } from '../../kernel/testing.ts';
import { inMemorySnippetStore } from './in-memory-snippet-store.ts';
import { snippetStoreContract } from './snippet-store.contract.ts';

for (const mode of ['plain', 'constrained'] as const)
  snippetStoreContract(`memory, ${mode}`, {
    open: async () => {
      let aheadMs = 0;
      const nowMs = (): number => Date.now() + aheadMs;
      const db = memoryDatabase({
        nowMs,
        mode,
        limits: { rowsMax: 1_000, transactionBytesMax: 1_000_000, attemptsMax: 60 },
      });
      return {
        store: inMemorySnippetStore(db),
        again: () => inMemorySnippetStore(db),
        nowMs: async () => nowMs(),
        forwardMs: async (ms) => void (aheadMs += ms),
        close: async () => {},
      };
    },
  });

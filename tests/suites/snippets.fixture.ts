import { memoryDatabase } from '@doska/core/kernel/testing';
import type { SnippetStore } from '@doska/core/snippets';
import { inMemorySnippetStore, snippetStoreContract } from '@doska/core/snippets/testing';
import { RIGHT } from './breakage.ts';
import { brokenSnippetStores } from './broken-snippets.ts';

const suite = (name: string, broken: (right: SnippetStore) => SnippetStore): void => {
  snippetStoreContract(name, {
    open: async () => {
      let aheadMs = 0;
      const nowMs = (): number => Date.now() + aheadMs;
      const db = memoryDatabase({ nowMs });
      const again = (): SnippetStore => broken(inMemorySnippetStore(db));
      return {
        store: again(),
        again,
        nowMs: async () => nowMs(),
        forwardMs: async (ms) => void (aheadMs += ms),
        close: async () => {},
      };
    },
  });
};
suite(RIGHT, (right) => right);
for (const { name, broken } of brokenSnippetStores) suite(name, broken);

import { inMemoryTableSource, memoryTables } from './in-memory-table-source.ts';
import { tableSourceContract } from './table-source.contract.ts';

tableSourceContract('memory', {
  nameOf: (n) => `table-${n}`,
  open: async () => {
    const tables = memoryTables();
    let version = 0;
    return {
      source: inMemoryTableSource(tables),
      put: async (kind, name, rows) =>
        void tables[kind].set(name, { rows, version: String(++version), atMs: version }),
      remove: async (kind, name) => void tables[kind].delete(name),
      close: async () => {},
    };
  },
});

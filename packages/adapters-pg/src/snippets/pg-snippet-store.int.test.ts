import { setTimeout as wait } from 'node:timers/promises';
import { snippetStoreContract } from '@doska/core/snippets/testing';
import { freshDatabase } from '@doska/test-setup/database';
import { pgSnippetStore } from './pg-snippet-store.ts';

snippetStoreContract('PostgreSQL', {
  open: async () => {
    const db = await freshDatabase();
    return {
      store: pgSnippetStore(db.pool),
      again: () => pgSnippetStore(db.pool),
      nowMs: async () => {
        const { rows } = await db.pool.query<{ now: string }>(
          'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now',
        );
        return Number(rows[0]!.now);
      },
      forwardMs: async (ms) => void (await wait(ms)),
      close: () => db.drop(),
    };
  },
});

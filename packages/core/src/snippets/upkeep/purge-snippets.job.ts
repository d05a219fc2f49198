import { err, ok } from 'neverthrow';
import type { JobSpec } from '../../kernel/index.ts';
import type { SnippetStore } from '../store/snippet-store.port.ts';
import { DUE_SHARDS } from '../store/stored-row.ts';

const STEP_ROWS = 500;

/** Turns expired snippets into tombstones and deletes old tombstones, in bounded steps. */
export const purgeJob = (
  store: Pick<SnippetStore, 'purgeDue'>,
  { tombstoneMs, purgeEveryMs }: { readonly tombstoneMs: number; readonly purgeEveryMs: number },
): JobSpec => ({
  name: 'snippets-purge',
  everyMs: purgeEveryMs,
  run: async ({ signal }) => {
    let total = 0;
    for (let shard = 0; shard < DUE_SHARDS; shard++) {
      while (!signal.aborted) {
        const purged = await store.purgeDue(shard, { tombstoneMs, limit: STEP_ROWS });
        if (purged.isErr()) return err({ kind: 'JobFailed', reason: purged.error.what });
        total += purged.value;
        if (purged.value < STEP_ROWS) break;
      }
    }
    return ok(`${total} rows`);
  },
});

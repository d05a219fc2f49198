import { ok, type ResultAsync } from 'neverthrow';
import { makeBatcher, type Clock, type Unavailable } from '../../kernel/index.ts';
import type { SnippetStore } from '../store/snippet-store.port.ts';
import { ROWS_MAX, type RowKey, type StoredRow } from '../store/stored-row.ts';

export type ReadRows = (
  keys: readonly RowKey[],
) => ResultAsync<readonly (StoredRow | undefined)[], Unavailable>;
export type ReadQueue = { readonly read: ReadRows; readonly close: () => Promise<void> };
const FLUSHES_MAX = 2;

/** Reads of the same moment share a statement. The rows of one caller are never in two statements. */
export const makeReadQueue = (store: SnippetStore, clock: Clock, waitingMax: number): ReadQueue => {
  const batcher = makeBatcher<readonly RowKey[], readonly (StoredRow | undefined)[], Unavailable>({
    name: 'snippet reads',
    clock,
    flush: (batch) =>
      store.read(batch.length === 1 ? batch[0]! : batch.flat()).map((rows) => {
        let at = 0;
        return batch.map((keys) => ok(rows.slice(at, (at += keys.length))));
      }),
    countMax: ROWS_MAX,
    bytesMax: ROWS_MAX,
    bytesOf: (keys) => keys.length,
    lingerMs: 0,
    waitingMax,
    flushesMax: FLUSHES_MAX,
  });
  return { read: (keys) => batcher.add(keys), close: () => batcher.close() };
};

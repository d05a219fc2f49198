import { errAsync, ok, okAsync, type ResultAsync } from 'neverthrow';
import { makeBatcher, unavailable, type Clock, type Unavailable } from '../../kernel/index.ts';
import type { SnippetStore } from '../store/snippet-store.port.ts';
import { ROW_BYTES, type SnippetWrite, type WriteOutcome } from '../store/stored-row.ts';

/** What a write without a record can end in. */
export type ApiOutcome = Extract<WriteOutcome, { kind: 'written' | 'conditionFailed' }>;
export type WriteQueue = {
  readonly commit: (write: SnippetWrite) => ResultAsync<ApiOutcome, Unavailable>;
  readonly close: () => Promise<void>;
};
export type WriteQueueSettings = {
  readonly commitBytesMax: number;
  readonly tombstoneMs: number;
  readonly waitingMax: number;
};
const COUNT_MAX = 200;
const FLUSHES_MAX = 2;

/** Writes of the same moment share a transaction. */
export const makeWriteQueue = (
  store: SnippetStore,
  clock: Clock,
  { commitBytesMax, tombstoneMs, waitingMax }: WriteQueueSettings,
): WriteQueue => {
  const batcher = makeBatcher<SnippetWrite, WriteOutcome, Unavailable>({
    name: 'snippet writes',
    clock,
    flush: (batch) => store.commit(batch, { tombstoneMs }).map((outcomes) => outcomes.map((one) => ok(one))),
    countMax: COUNT_MAX,
    bytesMax: commitBytesMax,
    bytesOf: ({ rows }) =>
      rows.reduce((sum, { content }) => sum + ROW_BYTES + (content?.bytes.length ?? 0), 0),
    lingerMs: 0,
    waitingMax,
    flushesMax: FLUSHES_MAX,
  });
  return {
    commit: (write) =>
      batcher
        .add(write)
        .andThen((outcome) =>
          outcome.kind === 'written' || outcome.kind === 'conditionFailed'
            ? okAsync(outcome)
            : errAsync(unavailable(`a write without a record ended as ${outcome.kind}`, undefined, false)),
        ),
    close: () => batcher.close(),
  };
};

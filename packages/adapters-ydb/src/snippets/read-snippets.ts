import { ROWS_MAX, type RowKey } from '@doska/core/snippets';
import type { YdbTx } from '../driver/transaction.ts';
import { CONTENTS, FIND, WHOLE } from './snippet-queries.ts';
import { keyOf, rowOf, textOf, type SnippetHead, type YdbRow } from './snippet-rows.ts';
import { nowOf } from './snippet-transaction.ts';

/** So many rows fit one answer of 50 MB with the largest contents. */
const WHOLE_AT_ONCE = 40;
const ANSWER_BYTES = 40_000_000;

/** Rows that are read together. A content never stands alone above the limit: a row has at most 8 MB. */
const batchesOf = (heads: readonly SnippetHead[]): readonly (readonly SnippetHead[])[] => {
  const batches: SnippetHead[][] = [];
  let bytes = ANSWER_BYTES;
  for (const head of heads) {
    if (bytes + head.content_bytes > ANSWER_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    bytes += head.content_bytes;
    batches.at(-1)!.push(head);
  }
  return batches;
};
/** The contents of these rows by `textOf`, from the transaction's snapshot. */
const readContents = async (
  tx: YdbTx,
  heads: readonly SnippetHead[],
): Promise<ReadonlyMap<string, Uint8Array | undefined>> => {
  const contents = new Map<string, Uint8Array | undefined>();
  for (const batch of batchesOf(heads.filter(({ content_bytes }) => content_bytes > 0)))
    for (const row of (await tx.run(CONTENTS, { keys: batch.map(keyOf) }))[0])
      contents.set(textOf(row), row.content);
  return contents;
};
export type Seen = { readonly nowMs: number; readonly rows: ReadonlyMap<string, YdbRow> };

/** The rows of these heads with their contents. */
export const completed = async (tx: YdbTx, nowMs: number, heads: readonly SnippetHead[]): Promise<Seen> => {
  const contents = await readContents(tx, heads);
  const rows = new Map(heads.map((head) => [textOf(head), rowOf(head, contents.get(textOf(head)))]));
  return { nowMs, rows };
};

/** The stored rows by `textOf`. Few rows come in one trip; of many the sizes are read first. */
export const readRows = async (tx: YdbTx, keys: readonly RowKey[]): Promise<Seen> => {
  const asked = [...new Map(keys.slice(0, ROWS_MAX).map((at) => [textOf(at), keyOf(at)])).values()];
  if (asked.length <= WHOLE_AT_ONCE) {
    const [clock, found] = await tx.commit(WHOLE, { keys: asked });
    const rows = new Map(found.map(({ content, ...head }) => [textOf(head), rowOf(head, content)]));
    return { nowMs: nowOf(clock), rows };
  }
  const [clock, heads] = await tx.run(FIND, { keys: asked });
  return completed(tx, nowOf(clock), heads);
};

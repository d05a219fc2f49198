import {
  judgeWrite,
  ROWS_MAX,
  type KeptRow,
  type RowKey,
  type RowWrite,
  type SnippetStore,
  type SnippetWrite,
  type WriteOutcome,
} from '@doska/core/snippets';
import type { YdbClient } from '../driver/client.ts';
import type { YdbTx } from '../driver/transaction.ts';
import { completed, readRows } from './read-snippets.ts';
import { DUE, PAGE } from './snippet-queries.ts';
import { keyOf, seenOf, textOf, withDue } from './snippet-rows.ts';
import { nowOf, SnippetTransaction } from './snippet-transaction.ts';

/** Above every key that begins with the prefix: a key has at most some hundred characters. */
const ABOVE = '\u{10ffff}'.repeat(1_000);

const applied = async (
  tx: YdbTx,
  writes: readonly SnippetWrite[],
  tombstoneMs: number,
): Promise<readonly WriteOutcome[]> => {
  const work = new SnippetTransaction(tx);
  const spread = writes.flatMap(({ allLanguagesOf = [] }) => allLanguagesOf);
  await work.load(writes.flatMap(({ rows }) => rows.map(({ at }) => at)));
  const others = await work.loadLanguages(spread);
  const nowMs = await work.nowMs();
  const outcomes = writes.map((write) => {
    const own = new Set(write.rows.map(({ at }) => textOf(at)));
    const isMeant = (row: RowKey): boolean =>
      (write.allLanguagesOf ?? []).some(
        ({ service, kps, key }) => service === row.service && kps === row.kps && key === row.key,
      ) && !own.has(textOf(row));
    const rows: readonly RowWrite[] = write.rows.concat(
      others.filter(isMeant).map((at) => ({ at, content: undefined, ttlMs: undefined })),
    );
    const stored = rows.map(({ at }) => work.get(at));
    const judged = judgeWrite({ ...write, rows }, stored, { nowMs, tombstoneMs });
    rows.forEach(({ at }, i) => {
      const row = judged.rows[i];
      if (row) work.set(at, withDue(row, tombstoneMs));
    });
    return judged.outcome;
  });
  await work.commit();
  return outcomes;
};

const purged = async (
  tx: YdbTx,
  shard: number,
  { tombstoneMs, limit }: { readonly tombstoneMs: number; readonly limit: number },
): Promise<number> => {
  const work = new SnippetTransaction(tx);
  const nowMs = await work.nowMs();
  const [due] = await tx.run(DUE, { shard, now: nowMs, limit: Math.min(limit, ROWS_MAX) });
  if (due.length === 0) return 0;
  await work.load(due);
  for (const at of due) {
    const row = work.get(at);
    if (!row) continue;
    const tombstone: KeptRow = { version: row.version, content: undefined, expiresAtMs: undefined };
    const isOld = !row.content && row.version.ms + tombstoneMs <= nowMs;
    work.set(at, isOld ? undefined : withDue(tombstone, tombstoneMs));
  }
  await work.commit();
  return due.length;
};

/** Snippets in YDB. A write is judged inside its transaction by the rules of the core. */
export const ydbSnippetStore = (client: YdbClient): SnippetStore => ({
  read: (keys) =>
    client.read('snippets.read', async (tx) => {
      const { nowMs, rows } = await readRows(tx, keys);
      return keys.slice(0, ROWS_MAX).map((at) => {
        const row = rows.get(textOf(at));
        return row && seenOf(row, nowMs);
      });
    }),
  commit: (writes, { tombstoneMs }) =>
    client.write('snippets.commit', (tx) => applied(tx, writes, tombstoneMs)),
  purgeDue: (shard, options) =>
    client.write('snippets.purge', (tx) => purged(tx, shard, options), { idempotent: true }),
  list: ({ service, kps }, { after, prefix = '', limit }) =>
    client.read('snippets.list', async (tx) => {
      const [clock, heads] = await tx.run(PAGE, {
        service,
        kps,
        from: after && Buffer.compare(Buffer.from(after.key), Buffer.from(prefix)) > 0 ? after.key : prefix,
        to: prefix + ABOVE,
        after_key: after?.key ?? '',
        after_language: after?.language ?? '',
        limit: Math.min(limit, ROWS_MAX),
      });
      const { nowMs, rows } = await completed(tx, nowOf(clock), heads);
      return heads.map((head) => ({
        key: head.key,
        language: head.language,
        row: seenOf(rows.get(textOf(head))!, nowMs),
      }));
    }),
  drop: ({ service, kps }, limit) =>
    client.write(
      'snippets.drop',
      async (tx) => {
        const [, heads] = await tx.run(PAGE, {
          service,
          kps,
          from: '',
          to: ABOVE,
          after_key: '',
          after_language: '',
          limit: Math.min(limit, ROWS_MAX),
        });
        const work = new SnippetTransaction(tx);
        await work.load(heads.map(keyOf));
        for (const at of heads) work.set(keyOf(at), undefined);
        await work.commit();
        return heads.length;
      },
      { idempotent: true },
    ),
});

import { ok } from 'neverthrow';
import { shardOf } from '../../kernel/index.ts';
import { direct, transact, type Io, type MemoryDatabase, type MemoryTx } from '../../kernel/testing.ts';
import { dueAtMs, isLive, judgeWrite, type KeptRow } from '../store/judge-write.ts';
import type { SnippetStore } from '../store/snippet-store.port.ts';
import {
  DUE_SHARDS,
  ROWS_MAX,
  type RowKey,
  type RowWrite,
  type SnippetWrite,
  type StoredRow,
} from '../store/stored-row.ts';

type MemoryRow = KeptRow & { readonly at: RowKey; readonly dueAtMs: number | undefined };
const ROWS = 'snippets';
const DUE = 'snippets_due';

const number = (n: number): string => String(n).padStart(16, '0');
const placeOf = ({ service, kps }: Pick<RowKey, 'service' | 'kps'>): string => `${service}\0${number(kps)}\0`;
/** No part has U+0000, so rows are in the order of key and language. */
const rowKey = (at: RowKey): string => `${placeOf(at)}${at.key}\0${at.language}`;
const dueKey = (at: RowKey, atMs: number): string =>
  `${number(shardOf(at.key, DUE_SHARDS))}\0${number(atMs)}\0${rowKey(at)}`;

const seenRow = (row: KeptRow | undefined, nowMs: number): StoredRow | undefined =>
  row && {
    version: { ms: row.version.ms, sequence: row.version.sequence },
    content: isLive(row, nowMs) ? row.content : undefined,
  };

const put = (tx: MemoryTx, at: RowKey, row: KeptRow, tombstoneMs: number): void => {
  const old = tx.get<MemoryRow>(ROWS, rowKey(at));
  if (old?.dueAtMs !== undefined) tx.delete(DUE, dueKey(at, old.dueAtMs));
  const due = dueAtMs(row, tombstoneMs);
  if (due !== undefined) tx.put(DUE, dueKey(at, due), at);
  const content = row.content && { format: row.content.format, bytes: row.content.bytes.slice() };
  tx.put(ROWS, rowKey(at), { ...row, content, at, dueAtMs: due } satisfies MemoryRow);
};

/** The rows of a write and, behind them, the other stored languages that it deletes. */
const rowsOf = (tx: MemoryTx, { rows, allLanguagesOf = [] }: SnippetWrite): readonly RowWrite[] => {
  const named = new Set(rows.map(({ at }) => rowKey(at)));
  const others = allLanguagesOf.flatMap((of) => {
    const from = rowKey({ ...of, language: '' });
    return tx
      .scan<MemoryRow>(ROWS, { from, to: `${from.slice(0, -1)}\u0001`, limit: ROWS_MAX })
      .filter(([key]) => !named.has(key))
      .map(([, { at }]) => ({ at, content: undefined, ttlMs: undefined }));
  });
  return rows.concat(others);
};

export const inMemorySnippetStore = (db: MemoryDatabase, io: Io = direct): SnippetStore => ({
  read: (keys) =>
    transact(db, io, 'snippets.read', keys, (tx) =>
      ok(keys.slice(0, ROWS_MAX).map((at) => seenRow(tx.get<MemoryRow>(ROWS, rowKey(at)), tx.nowMs))),
    ),
  commit: (writes, { tombstoneMs }) =>
    transact(
      db,
      io,
      'snippets.commit',
      writes.map(({ rows }) => rows.map(({ at }) => at)),
      (tx) =>
        ok(
          writes.map((write) => {
            const rows = rowsOf(tx, write);
            const stored = rows.map(({ at }) => tx.get<MemoryRow>(ROWS, rowKey(at)));
            const judged = judgeWrite({ ...write, rows }, stored, { nowMs: tx.nowMs, tombstoneMs });
            rows.forEach(({ at }, i) => judged.rows[i] && put(tx, at, judged.rows[i], tombstoneMs));
            return judged.outcome;
          }),
        ),
    ),
  purgeDue: (shard, { tombstoneMs, limit }) =>
    transact(db, io, 'snippets.purge', { shard }, (tx) => {
      const to = `${number(shard)}\0${number(tx.nowMs + 1)}`;
      const due = tx.scan<RowKey>(DUE, { from: `${number(shard)}\0`, to, limit: Math.min(limit, ROWS_MAX) });
      for (const [, at] of due) {
        const row = tx.get<MemoryRow>(ROWS, rowKey(at))!;
        if (row.content || row.version.ms + tombstoneMs > tx.nowMs)
          put(tx, at, { version: row.version, content: undefined, expiresAtMs: undefined }, tombstoneMs);
        else {
          tx.delete(DUE, dueKey(at, row.dueAtMs!));
          tx.delete(ROWS, rowKey(at));
        }
      }
      return ok(due.length);
    }),
  list: (place, { after, prefix = '', limit }) =>
    transact(db, io, 'snippets.list', place, (tx) => {
      const from = placeOf(place);
      const rows = tx.scan<MemoryRow>(ROWS, {
        from: `${from}${prefix}`,
        to: prefix === '' ? `${from.slice(0, -1)}\u0001` : `${from}${prefix}${'\u{10ffff}'.repeat(200)}`,
        limit: Math.min(limit, ROWS_MAX),
        ...(after ? { after: `${from}${after.key}\0${after.language}` } : {}),
      });
      return ok(
        rows.map(([, row]) => ({
          key: row.at.key,
          language: row.at.language,
          row: seenRow(row, tx.nowMs)!,
        })),
      );
    }),
  drop: (place, limit) =>
    transact(db, io, 'snippets.drop', place, (tx) => {
      const from = placeOf(place);
      const rows = tx.scan<MemoryRow>(ROWS, {
        from,
        to: `${from.slice(0, -1)}\u0001`,
        limit: Math.min(limit, ROWS_MAX),
      });
      for (const [key, { at, dueAtMs: due }] of rows) {
        if (due !== undefined) tx.delete(DUE, dueKey(at, due));
        tx.delete(ROWS, key);
      }
      return ok(rows.length);
    }),
});

import {
  dueAtMs,
  isLive,
  judgeWrite,
  ROWS_MAX,
  type KeptRow,
  type ListedRow,
  type RowKey,
  type RowWrite,
  type SnippetStore,
  type SnippetWrite,
  type StoredRow,
} from '@doska/core/snippets';
import { ok } from 'neverthrow';
import type pg from 'pg';
import { guard } from '../driver/guard.ts';
import { inTransaction } from '../driver/transaction.ts';
import { addressArrays, formatOf, textOf, type PgRow } from './snippet-rows.ts';
import { NOW_MS, SnippetTransaction } from './snippet-transaction.ts';

/** The content of a row whose time is not over. */
const LIVE = `case when s.expires_at_ms is null or s.expires_at_ms > ${NOW_MS} then s.content end as content`;
const SEEN = `s.version_ms, s.version_sequence, s.format, ${LIVE}`;
const READ = `select k.n, ${SEEN}
  from unnest($1::text[], $2::int[], $3::text[], $4::text[]) with ordinality k(service, kps, key, language, n)
  join snippets.snippet s using (service, kps, key, language)`;
const LIST = `select s.key, s.language, ${SEEN} from snippets.snippet s
  where s.service = $1 and s.kps = $2 and (s.key, s.language) > ($3, $4) and s.key >= $5 and s.key <= $6
  order by s.key, s.language limit $7`;
const DUE = `select service, kps, key, language from snippets.due
  where shard = $1 and at_ms <= ${NOW_MS} order by at_ms, service, kps, key, language limit $2`;
const SOME =
  'select service, kps, key, language from snippets.snippet where service = $1 and kps = $2 limit $3';
/** Above every key that begins with the prefix: a key has at most some hundred characters. */
const ABOVE = '\u{10ffff}'.repeat(1_000);

type SeenColumns = {
  readonly version_ms: string;
  readonly version_sequence: string;
  readonly format: number | null;
  readonly content: Buffer | null;
};
const seenOf = ({ version_ms, version_sequence, format, content }: SeenColumns): StoredRow => ({
  version: { ms: Number(version_ms), sequence: Number(version_sequence) },
  content: content && format !== null ? { format: formatOf(format), bytes: content } : undefined,
});
const withDue = (row: KeptRow, tombstoneMs: number): PgRow => ({
  version: row.version,
  content: row.content,
  expiresAtMs: row.expiresAtMs,
  dueAtMs: dueAtMs(row, tombstoneMs),
});

const applied = async (tx: pg.PoolClient, writes: readonly SnippetWrite[], tombstoneMs: number) => {
  const work = new SnippetTransaction(tx);
  const named = writes.flatMap(({ rows }) => rows.map(({ at }) => at));
  const spread = writes.flatMap(({ allLanguagesOf = [] }) => allLanguagesOf);
  const nowMs = await work.lock([...named, ...spread]);
  await work.load(named);
  const others = await work.loadLanguages(spread);
  const outcomes = writes.map((write) => {
    const own = new Set(write.rows.map(({ at }) => textOf(at)));
    const isMeant = (row: RowKey): boolean =>
      (write.allLanguagesOf ?? []).some(
        ({ service, kps, key }) => service === row.service && kps === row.kps && key === row.key,
      ) && !own.has(textOf(row));
    const rows: readonly RowWrite[] = write.rows.concat(
      others.filter(isMeant).map((at) => ({ at, content: undefined, ttlMs: undefined })),
    );
    const judged = judgeWrite(
      { ...write, rows },
      rows.map(({ at }) => work.get(at)),
      { nowMs, tombstoneMs },
    );
    rows.forEach(({ at }, i) => {
      const row = judged.rows[i];
      if (row) work.set(at, withDue(row, tombstoneMs));
    });
    return judged.outcome;
  });
  await work.flush();
  return ok(outcomes);
};

/** Locks rows that something is to be done with, and reads them again: another process may have been faster. */
const locked = async (tx: pg.PoolClient, keys: readonly RowKey[]) => {
  const work = new SnippetTransaction(tx);
  const nowMs = await work.lock(keys);
  await work.load(keys);
  return { work, nowMs };
};

const purged = async (
  tx: pg.PoolClient,
  shard: number,
  tombstoneMs: number,
  limit: number,
): Promise<number> => {
  const { rows } = await tx.query<RowKey>(DUE, [shard, Math.min(limit, ROWS_MAX)]);
  if (rows.length === 0) return 0;
  const { work, nowMs } = await locked(tx, rows);
  for (const at of rows) {
    const row = work.get(at);
    if (!row || isLive(row, nowMs) || row.dueAtMs === undefined || row.dueAtMs > nowMs) continue;
    const tombstone: KeptRow = { version: row.version, content: undefined, expiresAtMs: undefined };
    const isOld = !row.content && row.version.ms + tombstoneMs <= nowMs;
    work.set(at, isOld ? undefined : withDue(tombstone, tombstoneMs));
  }
  await work.flush();
  return rows.length;
};

/** Snippets in PostgreSQL. A write is judged inside its transaction by the rules of the core. */
export const pgSnippetStore = (pool: pg.Pool): SnippetStore => ({
  read: (keys) =>
    guard('snippets.read', async () => {
      const asked = keys.length > ROWS_MAX ? keys.slice(0, ROWS_MAX) : keys;
      const { rows } = await pool.query<SeenColumns & { readonly n: string }>({
        name: 'snippets_read',
        text: READ,
        values: [...addressArrays(asked)],
      });
      const found: (StoredRow | undefined)[] = asked.map(() => undefined);
      for (const row of rows) found[Number(row.n) - 1] = seenOf(row);
      return found;
    }),
  commit: (writes, { tombstoneMs }) =>
    inTransaction(pool, 'snippets.commit', (tx) => applied(tx, writes, tombstoneMs)),
  purgeDue: (shard, { tombstoneMs, limit }) =>
    inTransaction(pool, 'snippets.purge', async (tx) => ok(await purged(tx, shard, tombstoneMs, limit))),
  list: ({ service, kps }, { after, prefix = '', limit }) =>
    guard('snippets.list', async () => {
      const values = [
        service,
        kps,
        after?.key ?? '',
        after?.language ?? '',
        prefix,
        prefix + ABOVE,
        Math.min(limit, ROWS_MAX),
      ];
      const { rows } = await pool.query<SeenColumns & Pick<ListedRow, 'key' | 'language'>>(LIST, values);
      return rows.map((row) => ({ key: row.key, language: row.language, row: seenOf(row) }));
    }),
  drop: ({ service, kps }, limit) =>
    inTransaction(pool, 'snippets.drop', async (tx) => {
      const { rows } = await tx.query<RowKey>(SOME, [service, kps, Math.min(limit, ROWS_MAX)]);
      if (rows.length === 0) return ok(0);
      const { work } = await locked(tx, rows);
      for (const at of rows) work.set(at, undefined);
      await work.flush();
      return ok(rows.length);
    }),
});

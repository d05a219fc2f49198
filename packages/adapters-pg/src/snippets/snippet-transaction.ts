import { shardOf } from '@doska/core/kernel';
import type { RowKey } from '@doska/core/snippets';
import type pg from 'pg';
import { arraysOf, Frame, unnestOf, type RowOf, type RowSet } from '../driver/row-set.ts';
import {
  addressArrays,
  dueShard,
  formatCode,
  rowOf,
  textOf,
  type KnownPgRow,
  type PgRow,
  type SnippetColumns,
} from './snippet-rows.ts';

/** By the clock of the database, in whole milliseconds. */
export const NOW_MS = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';
const LOCKS = 1 << 20;
/** The time is taken when all locks are held, so it is not before any version that was given for these keys. */
const LOCK = `select ${NOW_MS} as now from (
  select count(pg_advisory_xact_lock(7107, h)) from (select distinct h from unnest($1::int[]) h order by h) q) locked`;
const COLUMNS =
  's.service, s.kps, s.key, s.language, s.version_ms, s.version_sequence, s.source, s.format, s.expires_at_ms, s.due_at_ms';
const FIND = `select ${COLUMNS} from unnest($1::text[], $2::int[], $3::text[], $4::text[]) k(service, kps, key, language)
  join snippets.snippet s using (service, kps, key, language)`;
const LANGUAGES = `select ${COLUMNS} from unnest($1::text[], $2::int[], $3::text[]) k(service, kps, key)
  join snippets.snippet s using (service, kps, key)`;

const ROW = {
  service: 'text',
  kps: 'integer',
  key: 'text',
  language: 'text',
  version_ms: 'bigint',
  version_sequence: 'bigint',
  source: 'text',
  format: 'smallint?',
  content: 'bytes?',
  expires_at_ms: 'bigint?',
  due_at_ms: 'bigint?',
} as const satisfies RowSet;
const DUE = {
  shard: 'integer',
  at_ms: 'bigint',
  service: 'text',
  kps: 'integer',
  key: 'text',
  language: 'text',
} as const satisfies RowSet;
type DueRow = RowOf<typeof DUE>;

const PUT = `insert into snippets.snippet (service, kps, key, language, version_ms, version_sequence, source, format, content, expires_at_ms, due_at_ms)
  select r.service, r.kps, r.key, r.language, r.version_ms, r.version_sequence, r.source, r.format,
    substring($13::bytea from r.content_start for r.content_length), r.expires_at_ms, r.due_at_ms
  from ${unnestOf(ROW, 'r')}
  on conflict (service, kps, key, language) do update set
    version_ms = excluded.version_ms, version_sequence = excluded.version_sequence, source = excluded.source,
    format = excluded.format, content = excluded.content, expires_at_ms = excluded.expires_at_ms, due_at_ms = excluded.due_at_ms`;
const ADD_DUE = `insert into snippets.due (shard, at_ms, service, kps, key, language)
  select d.* from ${unnestOf(DUE, 'd')} on conflict do nothing`;
const DROP_DUE = `delete from snippets.due s using ${unnestOf(DUE, 'd')} where s.shard = d.shard and s.at_ms = d.at_ms
  and s.service = d.service and s.kps = d.kps and s.key = d.key and s.language = d.language`;
const DROP = `delete from snippets.snippet s using unnest($1::text[], $2::int[], $3::text[], $4::text[]) k(service, kps, key, language)
  where s.service = k.service and s.kps = k.kps and s.key = k.key and s.language = k.language`;

type Change = {
  readonly at: RowKey;
  readonly before: KnownPgRow | undefined;
  readonly now: PgRow | undefined;
};

/**
 * The rows that one transaction has locked, read and changed. Every writer locks the hash of its keys first, in one order,
 * so writers of a key wait for each other, also where no row is yet. All languages of a key share a lock.
 */
export class SnippetTransaction {
  readonly #tx: pg.PoolClient;
  readonly #rows = new Map<string, KnownPgRow | undefined>();
  readonly #changes = new Map<string, Change>();
  constructor(tx: pg.PoolClient) {
    this.#tx = tx;
  }

  /** The time of the database once all locks are held. */
  async lock(keys: readonly Omit<RowKey, 'language'>[]): Promise<number> {
    const hashes = keys.map(({ service, kps, key }) => shardOf(`${service}\0${kps}\0${key}`, LOCKS));
    const { rows } = await this.#tx.query<{ now: string }>({
      name: 'snippets_lock',
      text: LOCK,
      values: [[...new Set(hashes)]],
    });
    return Number(rows[0]!.now);
  }
  async load(keys: readonly RowKey[]): Promise<void> {
    for (const at of keys) this.#rows.set(textOf(at), undefined);
    const found = await this.#tx.query<SnippetColumns>({
      name: 'snippets_find',
      text: FIND,
      values: [...addressArrays(keys)],
    });
    for (const row of found.rows) this.#rows.set(textOf(row), rowOf(row));
  }
  async loadLanguages(keys: readonly Omit<RowKey, 'language'>[]): Promise<readonly RowKey[]> {
    if (keys.length === 0) return [];
    const [services, prefixes, names] = addressArrays(keys.map((of) => ({ ...of, language: '' })));
    const { rows } = await this.#tx.query<SnippetColumns>(LANGUAGES, [services, prefixes, names]);
    for (const row of rows) this.#rows.set(textOf(row), rowOf(row));
    return rows.map(({ service, kps, key, language }) => ({ service, kps, key, language }));
  }
  get(at: RowKey): KnownPgRow | undefined {
    return this.#rows.get(textOf(at));
  }
  /** Stores the row, or deletes it. */
  set(at: RowKey, now: PgRow | undefined): void {
    const text = textOf(at);
    const before = this.#changes.has(text) ? this.#changes.get(text)!.before : this.#rows.get(text);
    this.#changes.set(text, { at, before, now });
    this.#rows.set(text, now);
  }

  async flush(): Promise<void> {
    const changes = [...this.#changes.values()];
    const put = changes.filter(({ now }) => now);
    if (put.length > 0) await this.#put(put);
    const gone = changes.filter(({ now }) => !now).map(({ at }) => at);
    if (gone.length > 0) await this.#tx.query(DROP, [...addressArrays(gone)]);
    const moved = changes.filter(({ before, now }) => before?.dueAtMs !== now?.dueAtMs);
    await this.#due('snippets_drop_due', DROP_DUE, moved, ({ before }) => before);
    await this.#due('snippets_add_due', ADD_DUE, moved, ({ now }) => now);
  }
  async #put(changes: readonly Change[]): Promise<void> {
    const frame = new Frame();
    const rows = changes.map(({ at, now }) => ({
      service: at.service,
      kps: at.kps,
      key: at.key,
      language: at.language,
      version_ms: now!.version.ms,
      version_sequence: now!.version.sequence,
      source: now!.version.source,
      format: now!.content ? formatCode(now!.content.format) : null,
      content: now!.content?.bytes ?? null,
      expires_at_ms: now!.expiresAtMs ?? null,
      due_at_ms: now!.dueAtMs ?? null,
    }));
    const arrays = arraysOf(ROW, rows, frame);
    await this.#tx.query({ name: 'snippets_put', text: PUT, values: [...arrays, frame.bytes] });
  }
  async #due(
    name: string,
    text: string,
    changes: readonly Change[],
    which: (change: Change) => KnownPgRow | undefined,
  ): Promise<void> {
    const rows = changes.flatMap((change): DueRow[] => {
      const atMs = which(change)?.dueAtMs;
      const { service, kps, key, language } = change.at;
      return atMs === undefined
        ? []
        : [{ shard: dueShard(change.at), at_ms: atMs, service, kps, key, language }];
    });
    if (rows.length === 0) return;
    await this.#tx.query({ name, text, values: [...arraysOf(DUE, rows, new Frame())] });
  }
}

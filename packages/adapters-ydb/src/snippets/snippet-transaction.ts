import type { RowKey } from '@doska/core/snippets';
import type { YdbTx } from '../driver/transaction.ts';
import { CLOCK, FIND, LANGUAGES, PUT } from './snippet-queries.ts';
import { columnsOf, dueRows, keyOf, rowOf, textOf, type YdbRow } from './snippet-rows.ts';

type Change = { readonly at: RowKey; readonly before: YdbRow | undefined; readonly now: YdbRow | undefined };
type Place = Omit<RowKey, 'language'>;

const ROWS_MAX = 1_000;
/** A key has a row for each of its languages, and an answer has at most 1000 rows. */
const KEYS_AT_ONCE = 50;

/** The clock of the database, in whole milliseconds. */
export const nowOf = (found: readonly { readonly now: number }[]): number =>
  Math.floor((found[0]?.now ?? 0) / 1_000);

const partsOf = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

/**
 * The rows that one transaction has read and changed. Rows are read by key, also absent ones, so a concurrent writer of the
 * same row makes the commit fail, and the transaction runs again.
 */
export class SnippetTransaction {
  readonly #tx: YdbTx;
  readonly #rows = new Map<string, YdbRow | undefined>();
  readonly #changes = new Map<string, Change>();
  #nowMs: number | undefined;
  constructor(tx: YdbTx) {
    this.#tx = tx;
  }

  async load(keys: readonly RowKey[]): Promise<void> {
    const asked = new Map(keys.map((at) => [textOf(at), keyOf(at)]));
    for (const part of partsOf([...asked], ROWS_MAX)) {
      const [clock, heads] = await this.#tx.run(FIND, { keys: part.map(([, at]) => at) });
      this.#nowMs ??= nowOf(clock);
      for (const [text] of part) this.#rows.set(text, undefined);
      for (const head of heads) this.#rows.set(textOf(head), rowOf(head, undefined));
    }
  }
  /** Reads the rows of all languages of these keys. Returns their addresses. */
  async loadLanguages(keys: readonly Place[]): Promise<readonly RowKey[]> {
    const places = new Map<string, { readonly place: Place; readonly keys: Set<string> }>();
    for (const place of keys) {
      const name = `${place.service}\0${place.kps}`;
      const found = places.get(name) ?? { place, keys: new Set() };
      found.keys.add(place.key);
      places.set(name, found);
    }
    const stored: RowKey[] = [];
    for (const { place, keys: named } of places.values())
      for (const part of partsOf([...named].sort(), KEYS_AT_ONCE)) {
        const { service, kps } = place;
        const [heads] = await this.#tx.run(LANGUAGES, { service, kps, keys: part });
        for (const head of heads) {
          this.#rows.set(textOf(head), rowOf(head, undefined));
          stored.push(keyOf(head));
        }
      }
    return stored;
  }
  /** Read inside the transaction, so it is not before any version that was committed before. */
  async nowMs(): Promise<number> {
    return (this.#nowMs ??= nowOf((await this.#tx.run(CLOCK, {}))[0]));
  }
  get(at: RowKey): YdbRow | undefined {
    return this.#rows.get(textOf(at));
  }
  /** Undefined deletes the row. */
  set(at: RowKey, now: YdbRow | undefined): void {
    const text = textOf(at);
    const known = this.#changes.get(text);
    const before = known ? known.before : this.#rows.get(text);
    this.#changes.set(text, { at, before, now });
    this.#rows.set(text, now);
  }
  /** Writes what has changed and commits. */
  async commit(): Promise<void> {
    const changes = [...this.#changes.values()];
    if (changes.length === 0) return;
    const moved = changes.filter(({ before, now }) => before?.dueAtMs !== now?.dueAtMs);
    await this.#tx.commit(PUT, {
      rows: changes.flatMap(({ at, now }) => (now ? [columnsOf(at, now)] : [])),
      gone: changes.flatMap(({ at, now }) => (now ? [] : [keyOf(at)])),
      undue: moved.flatMap(({ at, before }) => dueRows(at, before)),
      due: moved.flatMap(({ at, now }) => dueRows(at, now)),
    });
  }
}

import { bytesOf, compareKeys, type Value } from '../values/values.ts';
import { YqlError } from '../yql-error.ts';
import type { Database } from './database.ts';
import { holds, type Key, type KeyRange } from './key-range.ts';
import type { Row, StoredRow, Table } from './table.ts';

/** What becomes of a row: `undefined` deletes it, an upsert changes some columns of whatever is there at the commit. */
export type Change =
  | { readonly kind: 'delete' }
  | { readonly kind: 'upsert' | 'replace'; readonly columns: ReadonlyMap<number, Value> };
type Pending = { readonly key: Key; readonly changes: Change[] };
export type Mode = 'serializable' | 'snapshot';

const applied = (table: Table, key: Key, row: Row | undefined, changes: readonly Change[]): Row | undefined =>
  changes.reduce<Row | undefined>((before, change) => {
    if (change.kind === 'delete') return undefined;
    const base = change.kind === 'upsert' ? before : undefined;
    const next: Value[] = table.schema.columns.map((_, index) =>
      change.columns.has(index) ? change.columns.get(index)! : (base?.[index] ?? null),
    );
    table.keyColumns.forEach((column, i) => (next[column] = key[i]!));
    return next;
  }, row);

/**
 * Reads see the snapshot of the first read and the transaction's own writes. A commit is refused when anything in the
 * ranges that were read has been written since, also when nothing would be written: the weakest that YDB promises.
 */
export class Transaction {
  readonly #reads = new Map<Table, KeyRange[]>();
  readonly #writes = new Map<Table, Pending[]>();
  #snapshot: number | undefined;
  #bytes = 0;
  constructor(
    readonly id: string,
    readonly mode: Mode,
    readonly database: Database,
    readonly bytesMax: number,
  ) {}

  #pending(table: Table): Pending[] {
    const found = this.#writes.get(table) ?? [];
    this.#writes.set(table, found);
    return found;
  }
  #place(pending: readonly Pending[], key: Key): number {
    let low = 0;
    let high = pending.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareKeys(pending[middle]!.key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  read(table: Table, range: KeyRange): readonly StoredRow[] {
    this.#snapshot ??= this.database.openSnapshot();
    const ranges = this.#reads.get(table);
    if (ranges) ranges.push(range);
    else this.#reads.set(table, [range]);
    const stored = table.read(range, this.#snapshot);
    const own = (this.#writes.get(table) ?? []).filter(({ key }) => holds(range, key));
    if (own.length === 0) return stored;
    const rows = stored.filter(({ key }) => !own.some((pending) => compareKeys(pending.key, key) === 0));
    for (const { key, changes } of own) {
      const row = applied(table, key, table.get(key, this.#snapshot), changes);
      if (row) rows.push({ key, row });
    }
    return rows.sort((a, b) => compareKeys(a.key, b.key));
  }
  write(table: Table, key: Key, change: Change): void {
    if (this.mode !== 'serializable')
      throw new YqlError('GENERIC_ERROR', 'Operation is not permitted: the transaction only reads');
    const pending = this.#pending(table);
    const place = this.#place(pending, key);
    const known = pending[place];
    if (known && compareKeys(known.key, key) === 0) known.changes.push(change);
    else pending.splice(place, 0, { key, changes: [change] });
    this.#bytes += bytesOf(key) + (change.kind === 'delete' ? 0 : bytesOf([...change.columns.values()]));
    if (this.#bytes > this.bytesMax)
      throw new YqlError('GENERIC_ERROR', `stand-in: a transaction of more than ${this.bytesMax} bytes`);
  }
  wrote(table: Table): boolean {
    return this.#writes.has(table);
  }
  commit(): void {
    const { database } = this;
    const conflict =
      this.mode === 'serializable' &&
      this.#snapshot !== undefined &&
      database.changedSince(this.#snapshot, this.#reads);
    this.end();
    if (conflict) throw new YqlError('ABORTED', 'Transaction locks invalidated.');
    const writes = [...this.#writes].flatMap(([table, pending]) => pending.map((one) => ({ table, ...one })));
    if (writes.length === 0) return;
    database.commit(writes, (at) => {
      for (const { table, key, changes } of writes)
        table.write(key, applied(table, key, table.get(key, at), changes), at);
    });
  }
  end(): void {
    if (this.#snapshot !== undefined) this.database.closeSnapshot(this.#snapshot);
    this.#snapshot = undefined;
  }
}

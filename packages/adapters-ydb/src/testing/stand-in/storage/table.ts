import { compareKeys, type Value } from '../values/values.ts';
import { holds, type Key, type KeyRange } from './key-range.ts';
import { keyIndexes, type TableSchema } from './table-schema.ts';

export type Row = readonly Value[];
type Version = { readonly at: number; readonly row: Row | undefined };
type Entry = { readonly key: Key; readonly versions: Version[] };
export type StoredRow = { readonly key: Key; readonly row: Row };

/** Rows in the order of their keys, each with its versions, the oldest first. */
export class Table {
  readonly #entries: Entry[] = [];
  readonly keyColumns: readonly number[];
  constructor(
    readonly path: string,
    readonly schema: TableSchema,
  ) {
    this.keyColumns = keyIndexes(schema);
  }
  keyOf(row: Row): Key {
    return this.keyColumns.map((index) => row[index]!);
  }
  /** The first entry that is not before `key`. */
  #seek(key: Key): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareKeys(this.#entries[middle]!.key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  read(range: KeyRange, at: number): StoredRow[] {
    const found: StoredRow[] = [];
    for (let i = this.#seek(range.low); i < this.#entries.length; i++) {
      const { key, versions } = this.#entries[i]!;
      if (!holds(range, key)) break;
      const row = versions.findLast((version) => version.at <= at)?.row;
      if (row) found.push({ key, row });
    }
    return found;
  }
  get(key: Key, at: number): Row | undefined {
    return this.read({ low: key, high: key }, at)[0]?.row;
  }
  write(key: Key, row: Row | undefined, at: number): void {
    const place = this.#seek(key);
    const entry = this.#entries[place];
    if (entry && compareKeys(entry.key, key) === 0) entry.versions.push({ at, row });
    else if (row) this.#entries.splice(place, 0, { key, versions: [{ at, row }] });
  }
  /** Forgets what no snapshot from `oldest` on can see. */
  forget(key: Key, oldest: number): void {
    const place = this.#seek(key);
    const entry = this.#entries[place];
    if (!entry || compareKeys(entry.key, key) !== 0) return;
    const needed = entry.versions.findLastIndex((version) => version.at <= oldest);
    if (needed > 0) entry.versions.splice(0, needed);
    if (entry.versions.length === 1 && !entry.versions[0]!.row && entry.versions[0]!.at <= oldest)
      this.#entries.splice(place, 1);
  }
  get size(): number {
    return this.#entries.length;
  }
}

import { YqlError } from '../yql-error.ts';
import type { Key, KeyRange } from './key-range.ts';
import { holds } from './key-range.ts';
import { checkSchema, type TableSchema } from './table-schema.ts';
import { Table } from './table.ts';

type Commit = { readonly at: number; readonly keys: readonly { readonly table: Table; readonly key: Key }[] };

/** Tables by their full path, and the log of commits that open transactions are checked against. */
export class Database {
  readonly #tables = new Map<string, Table>();
  readonly #snapshots = new Map<number, number>();
  #commits: Commit[] = [];
  #version = 0;

  get version(): number {
    return this.#version;
  }
  table(path: string): Table {
    const found = this.#tables.get(path);
    if (!found)
      throw new YqlError(
        'SCHEME_ERROR',
        `Cannot find table 'db.[${path}]' because it does not exist or you do not have access permissions`,
      );
    return found;
  }
  tables(): readonly Table[] {
    return [...this.#tables.values()];
  }
  create(path: string, schema: TableSchema): void {
    if (this.#tables.has(path)) throw new YqlError('SCHEME_ERROR', `path exists: ${path}`);
    this.#tables.set(path, new Table(path, checkSchema(schema)));
  }
  drop(path: string): void {
    this.table(path);
    this.#tables.delete(path);
  }
  /** Only columns that may be null can come: what is stored has no value for them. */
  addColumns(path: string, columns: TableSchema['columns']): void {
    const old = this.table(path);
    if (columns.some(({ type }) => type.kind !== 'optional'))
      throw new YqlError('SCHEME_ERROR', 'a column that is added must be nullable');
    const schema = checkSchema({ ...old.schema, columns: [...old.schema.columns, ...columns] });
    const table = new Table(path, schema);
    for (const { key, row } of old.read({ low: [], high: [] }, this.#version))
      table.write(key, [...row, ...columns.map(() => null)], this.#version);
    this.#tables.set(path, table);
  }
  openSnapshot(): number {
    this.#snapshots.set(this.#version, (this.#snapshots.get(this.#version) ?? 0) + 1);
    return this.#version;
  }
  closeSnapshot(at: number): void {
    const left = (this.#snapshots.get(at) ?? 1) - 1;
    if (left > 0) this.#snapshots.set(at, left);
    else this.#snapshots.delete(at);
  }
  /** Whether anything in the ranges was written after the snapshot. */
  changedSince(snapshot: number, reads: ReadonlyMap<Table, readonly KeyRange[]>): boolean {
    return this.#commits.some(
      ({ at, keys }) =>
        at > snapshot &&
        keys.some(({ table, key }) => reads.get(table)?.some((range) => holds(range, key)) ?? false),
    );
  }
  commit(keys: Commit['keys'], write: (at: number) => void): void {
    const at = ++this.#version;
    write(at);
    this.#commits.push({ at, keys });
    const oldest = Math.min(at, ...this.#snapshots.keys());
    for (const { table, key } of keys) table.forget(key, oldest);
    this.#commits = this.#commits.filter((commit) => commit.at > oldest);
  }
}

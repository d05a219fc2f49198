import type { Database } from '../storage/database.ts';
import type { KeyRange } from '../storage/key-range.ts';
import type { StoredRow, Table } from '../storage/table.ts';
import type { Transaction } from '../storage/transaction.ts';
import { YqlError } from '../yql-error.ts';
import type { Relation, Scope, ScopeColumn, Typed } from './scope.ts';

/** One run of one text in one transaction. */
export class QueryContext {
  readonly #values = new Map<string, Typed>();
  readonly #relations = new Map<string, Relation>();
  readonly #written = new Set<Table>();
  prefix = '';
  constructor(
    readonly database: Database,
    readonly tx: Transaction,
    readonly nowUs: bigint,
  ) {}

  table(path: string): Table {
    return this.database.table(path.startsWith('/') ? path : `${this.prefix}/${path}`);
  }
  /** YDB has its own rules about a text that reads what it has just written: here it may not. */
  read(table: Table, range: KeyRange): readonly StoredRow[] {
    if (this.#written.has(table))
      throw YqlError.unsupported(`reading ${table.path} after writing it in one query`);
    return this.tx.read(table, range);
  }
  writes(table: Table): Table {
    this.#written.add(table);
    return table;
  }
  scope(columns: readonly ScopeColumn[]): Scope {
    return { columns, named: (name) => this.value(name), nowUs: this.nowUs };
  }
  name(name: string, what: { readonly value: Typed } | { readonly relation: Relation }): void {
    if (this.#values.has(name) || this.#relations.has(name))
      throw YqlError.unsupported(`naming $${name} twice`);
    if ('value' in what) this.#values.set(name, what.value);
    else this.#relations.set(name, what.relation);
  }
  value(name: string): Typed {
    const found = this.#values.get(name);
    if (!found) throw YqlError.type(`Unknown name: $${name}`);
    return found;
  }
  relation(name: string): Relation {
    const found = this.#relations.get(name);
    if (!found) throw YqlError.type(`Unknown name: $${name}, or not the outcome of a SELECT`);
    return found;
  }
}

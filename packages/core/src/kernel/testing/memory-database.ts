import { err, ok, ResultAsync, type Result } from 'neverthrow';
import { unavailable, type Unavailable } from '../errors.ts';
import type { Io } from './io.ts';

/** The operations of a transaction. `put` freezes rows, so a kept reference cannot change a stored row. */
export interface MemoryTx {
  readonly nowMs: number;
  get<Row>(table: string, key: string): Row | undefined;
  /** Rows with `after` < key and `from` <= key < `to`, in the order of their keys' UTF-8 bytes, at most `limit`. */
  scan<Row>(table: string, range?: MemoryRange): readonly (readonly [key: string, row: Row])[];
  put(table: string, key: string, row: object): void;
  delete(table: string, key: string): void;
}
export type MemoryRange = {
  readonly from?: string;
  readonly after?: string;
  readonly to?: string;
  readonly limit?: number;
};

type Table = { readonly rows: Map<string, object>; sorted: string[] | undefined };
type Read = { readonly table: string; readonly holds: (key: string) => boolean };
type Writes = Map<string, Map<string, object | undefined>>;

/** The bounds of a database that is not PostgreSQL: what passes under them can be kept by YDB. */
export type MemoryLimits = {
  readonly rowsMax: number;
  readonly transactionBytesMax: number;
  readonly attemptsMax: number;
};
export const constrainedLimits: MemoryLimits = {
  rowsMax: 1_000,
  transactionBytesMax: 1_000_000,
  attemptsMax: 20,
};

/**
 * The durable half of in-memory stores. `plain`: a transaction is one atomic step. `constrained`: it reads in one step
 * and commits in another, and the commit is refused if anything in the ranges it read has changed; results and
 * transactions are bounded. No blocking locks, no sequences.
 */
export type MemoryDatabase = {
  readonly mode: 'plain' | 'constrained';
  readonly limits: MemoryLimits;
  readonly nowMs: () => number;
  readonly tables: Map<string, Table>;
  /** One entry a commit: which keys of which table it wrote. The index is the database's version. */
  readonly commits: (readonly { readonly table: string; readonly key: string }[])[];
};
export const memoryDatabase = ({
  nowMs,
  mode = 'plain',
  limits = constrainedLimits,
}: {
  readonly nowMs: () => number;
  readonly mode?: 'plain' | 'constrained';
  readonly limits?: MemoryLimits;
}): MemoryDatabase => ({
  mode,
  limits,
  nowMs,
  tables: new Map(),
  commits: [],
});

const tableOf = (db: MemoryDatabase, name: string): Table => {
  const found = db.tables.get(name) ?? { rows: new Map<string, never>(), sorted: undefined };
  db.tables.set(name, found);
  return found;
};
/** The order of UTF-8 bytes, as databases have it: code units differ from it above the basic plane. */
const byBytes = (a: string, b: string): number => {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  const rank = (unit: number): number =>
    Number.isNaN(unit) ? -1 : unit >= 0xe000 ? unit - 0x2000 : unit >= 0xd800 ? unit + 0x2000 : unit;
  return rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
};
const sortedKeys = (table: Table): string[] => (table.sorted ??= [...table.rows.keys()].sort(byBytes));
const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
};
const bytesOf = (value: unknown): number => {
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce<number>((sum, part) => sum + bytesOf(part), 0);
};

class LimitExceeded extends Error {}

const begin = (
  db: MemoryDatabase,
): { readonly tx: MemoryTx; readonly reads: Read[]; readonly writes: Writes } => {
  const reads: Read[] = [];
  const writes: Writes = new Map();
  const written = (table: string): Map<string, object | undefined> => {
    const found = writes.get(table) ?? new Map<string, object | undefined>();
    writes.set(table, found);
    return found;
  };
  const tx: MemoryTx = {
    nowMs: db.nowMs(),
    get: <Row>(table: string, key: string) => {
      reads.push({ table, holds: (other) => other === key });
      const own = written(table);
      return (own.has(key) ? own.get(key) : tableOf(db, table).rows.get(key)) as Row | undefined;
    },
    scan: <Row>(table: string, { from, after, to, limit = Infinity }: MemoryRange = {}) => {
      const inside = (key: string): boolean =>
        (from === undefined || byBytes(key, from) >= 0) &&
        (after === undefined || byBytes(key, after) > 0) &&
        (to === undefined || byBytes(key, to) < 0);
      const own = written(table);
      const keys = sortedKeys(tableOf(db, table)).filter((key) => inside(key) && !own.has(key));
      const fresh = [...own].filter(([key, row]) => row !== undefined && inside(key)).map(([key]) => key);
      const all = (fresh.length > 0 ? [...keys, ...fresh].sort(byBytes) : keys).slice(0, limit);
      if (db.mode === 'constrained' && all.length > db.limits.rowsMax)
        throw new LimitExceeded(`${all.length} rows in one result`);
      const last = all.length === limit ? all.at(-1) : undefined; // a full page has not looked beyond its end
      reads.push({ table, holds: (key) => inside(key) && (last === undefined || byBytes(key, last) <= 0) });
      return all.map((key) => [key, (own.get(key) ?? tableOf(db, table).rows.get(key)) as Row] as const);
    },
    put: (table, key, row) => void written(table).set(key, frozen(row)),
    delete: (table, key) => void written(table).set(key, undefined),
  };
  return { tx, reads, writes };
};
const apply = (db: MemoryDatabase, writes: Writes): void => {
  const touched: { table: string; key: string }[] = [];
  for (const [name, rows] of writes) {
    const table = tableOf(db, name);
    for (const [key, row] of rows) {
      touched.push({ table: name, key });
      if (row === undefined) table.rows.delete(key);
      else table.rows.set(key, row);
    }
    if (rows.size > 0) table.sorted = undefined;
  }
  if (touched.length > 0) db.commits.push(touched);
};
const changedSince = (db: MemoryDatabase, version: number, reads: readonly Read[]): boolean =>
  db.commits
    .slice(version)
    .some((touched) =>
      touched.some(({ table, key }) => reads.some((read) => read.table === table && read.holds(key))),
    );

const step = <T, E>(db: MemoryDatabase, work: (tx: MemoryTx) => Result<T, E>): Result<T, E> => {
  const { tx, writes } = begin(db);
  const outcome = work(tx);
  if (outcome.isOk()) apply(db, writes);
  return outcome;
};
const optimistic = async <T, E>(
  db: MemoryDatabase,
  io: Io,
  name: string,
  args: unknown,
  work: (tx: MemoryTx) => Result<T, E>,
): Promise<Result<T, E | Unavailable>> => {
  for (let attempt = 1; attempt <= db.limits.attemptsMax; attempt++) {
    const read = await io({ name: `${name}.read`, args }, () => {
      const { tx, reads, writes } = begin(db);
      return ok({ outcome: work(tx), reads, writes, version: db.commits.length });
    });
    if (read.isErr()) return err(read.error);
    const { outcome, reads, writes, version } = read.value;
    const bytes = bytesOf([...writes.values()].map((rows) => [...rows.values()]));
    if (bytes > db.limits.transactionBytesMax)
      throw new LimitExceeded(`${name}: ${bytes} bytes in one transaction`);
    const committed = await io({ name: `${name}.commit`, args }, (): Result<Result<T, E>, 'aborted'> => {
      if (changedSince(db, version, reads)) return err('aborted');
      if (outcome.isOk()) apply(db, writes);
      return ok(outcome);
    });
    if (committed.isOk()) return committed.value;
    if (committed.error !== 'aborted') return err(committed.error);
  }
  return err(unavailable(`${name}: too many conflicts`));
};

/** Runs `work` as one serializable transaction; an `Err` rolls back. `work` may run several times and must have no other effect. */
export const transact = <T, E>(
  db: MemoryDatabase,
  io: Io,
  name: string,
  args: unknown,
  work: (tx: MemoryTx) => Result<T, E>,
): ResultAsync<T, E | Unavailable> =>
  db.mode === 'plain'
    ? io({ name, args }, () => step(db, work))
    : new ResultAsync(optimistic(db, io, name, args, work));

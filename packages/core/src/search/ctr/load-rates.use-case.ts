import { err, ok, type Result } from 'neverthrow';
import type { Clock, Logger, Unavailable } from '../../kernel/index.ts';
import type { CtrRecord, KeptState, StateMoved } from './ctr-record.store.ts';
import type { ClickRateStore } from './ctr-stores.port.ts';
import {
  advanced,
  begun,
  isNewTable,
  isSameTable,
  refused,
  switched,
  withSeen,
  type CtrState,
  type Loading,
  type SeenTable,
  type TableVersion,
} from './ctr-state.ts';
import { eachOnce, rateOf, type BadLine, type OfferRate, type TableRow } from './table-rows.ts';
import { badLine, type BadTable, type TableInfo, type TableSource } from './table-source.port.ts';

/** Another table is being loaded now. */
export type LoadBusy = { readonly kind: 'LoadBusy'; readonly table: string };
/** The rows do not continue the load: it was given up, or another process goes on with it. */
export type LoadMoved = { readonly kind: 'LoadMoved'; readonly table: string };
export type AppendRates = {
  readonly table: string;
  /** The rows of the table that were sent before. 0 begins a new load. */
  readonly rowsBefore: number;
  readonly rows: readonly TableRow[];
  readonly isLast: boolean;
};
export type AppendError = BadTable | LoadBusy | LoadMoved | Unavailable;
export type LoadRatesNeeds = {
  readonly record: CtrRecord;
  readonly rates: ClickRateStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Rows of one slice. */
  readonly sliceRows: number;
  /** A load without progress for so long may be replaced by another table. */
  readonly abandonedMs: number;
};
export type WeeklyOutcome =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'busy'; readonly table: string }
  | { readonly kind: 'interrupted'; readonly table: string; readonly rows: number }
  | { readonly kind: 'loaded'; readonly table: string; readonly rows: number }
  | { readonly kind: 'refused'; readonly table: string; readonly bad: BadLine };
export type LoadRates = {
  /** Loads the newest table of the source in slices; an interrupted load goes on where it stopped. */
  newest(source: TableSource, signal: AbortSignal): Promise<Result<WeeklyOutcome, Unavailable>>;
  /** Takes the next rows of a table that a caller sends. The same rows may be sent again. */
  readonly append: (given: AppendRates) => Promise<Result<{ readonly rows: number }, AppendError>>;
};

const SENT = 'sent';

export const makeLoadRates = (needs: LoadRatesNeeds): LoadRates => {
  const { record, rates, clock, logger, sliceRows, abandonedMs } = needs;

  const refuse = async (
    kept: KeptState,
    table: TableVersion & Partial<SeenTable>,
    { line, message }: BadLine,
  ): Promise<Result<void, Unavailable | StateMoved>> => {
    const atMs = clock.nowMs();
    logger.error('a table of click rates was refused; the rates before it stay', {
      table: table.name,
      line,
      message,
    });
    const { name, version: contents, atMs: finishedAtMs } = table;
    const change = (state: CtrState): CtrState => {
      const next = refused(state, { name, version: contents, line, message, atMs });
      const seen = { name, version: contents, atMs: finishedAtMs ?? 0 };
      return finishedAtMs === undefined ? next : withSeen(next, seen);
    };
    return record.write(kept, change).map(() => undefined);
  };
  /** Stores the rows of one slice, then where the table goes on. */
  const store = async (
    kept: KeptState,
    loading: Loading,
    rows: readonly OfferRate[],
    cursor: string | undefined,
  ): Promise<Result<KeptState, Unavailable | StateMoved>> => {
    if (rows.length > 0) {
      const put = await rates.put(loading.epochMs, rows);
      if (put.isErr()) return err(put.error);
    }
    const nowMs = clock.nowMs();
    return record.write(kept, (state) => advanced(state, loading, { rows: rows.length, cursor }, nowMs));
  };
  /** Makes the load current if it has as many offers as its table has rows. */
  const finish = async (
    kept: KeptState,
    loading: Loading,
    seen?: SeenTable,
  ): Promise<Result<void, Unavailable | StateMoved | BadTable>> => {
    const count = await rates.count(loading.epochMs);
    if (count.isErr()) return err(count.error);
    if (loading.rows === 0) return err(badLine({ line: 1, message: 'the table has no rows' }));
    if (count.value !== loading.rows)
      return err(
        badLine({
          line: loading.rows,
          message: `the table has ${loading.rows} rows, but ${count.value} offers: some stand in it twice`,
        }),
      );
    const nowMs = clock.nowMs();
    const change = (state: CtrState): CtrState => {
      const next = switched(state, loading, nowMs);
      return seen ? withSeen(next, seen) : next;
    };
    return record.write(kept, change).map(() => undefined);
  };
  const isBusy = (loading: Loading | undefined, isOwn: boolean): loading is Loading =>
    loading !== undefined && !isOwn && clock.nowMs() - loading.touchedAtMs < abandonedMs;

  /** From the stored cursor to the end of the table. */
  const load = async (
    source: TableSource,
    table: TableInfo,
    begin: KeptState,
    signal: AbortSignal,
  ): Promise<Result<WeeklyOutcome, Unavailable | StateMoved>> => {
    const { name } = table;
    let kept = begin;
    const refusing = async (bad: BadLine): Promise<Result<WeeklyOutcome, Unavailable | StateMoved>> =>
      (await refuse(kept, table, bad)).map(() => ({ kind: 'refused', table: name, bad }));
    for (;;) {
      const loading = kept.state.loading!;
      if (signal.aborted) return ok({ kind: 'interrupted', table: name, rows: loading.rows });
      if (loading.cursor === undefined) {
        const finished = await finish(kept, loading, table);
        if (finished.isOk()) return ok({ kind: 'loaded', table: name, rows: loading.rows });
        return finished.error.kind === 'BadTable' ? refusing(finished.error) : err(finished.error);
      }
      const page = await source.read('weekly', table, loading.cursor, sliceRows);
      if (page.isErr()) {
        if (page.error.kind === 'BadTable') return refusing(page.error);
        if (page.error.kind === 'Unavailable') return err(page.error);
        // The next run lists the tables anew.
        const given = await record.write(kept, (state) => ({ ...state, loading: undefined }));
        return given.map(() => ({ kind: 'interrupted', table: name, rows: 0 }));
      }
      const read = eachOnce(page.value.rows, rateOf, ({ offerId }) => offerId);
      if (read.isErr()) return refusing(read.error);
      const stored = await store(kept, loading, read.value, page.value.next);
      if (stored.isErr()) return err(stored.error);
      kept = stored.value;
    }
  };
  const newest = async (
    source: TableSource,
    signal: AbortSignal,
  ): Promise<Result<WeeklyOutcome, Unavailable | StateMoved>> => {
    const tables = await source.list('weekly');
    if (tables.isErr()) return err(tables.error);
    const table = tables.value.reduce<TableInfo | undefined>(
      (best, one) => (best && best.atMs > one.atMs ? best : one),
      undefined,
    );
    if (!table) return ok({ kind: 'nothing' });
    const read = await record.read();
    if (read.isErr()) return err(read.error);
    const { state } = read.value;
    if (!isNewTable(state, table)) return ok({ kind: 'nothing' });
    const isOwn = state.loading !== undefined && isSameTable(state.loading.table, table);
    if (isBusy(state.loading, isOwn)) return ok({ kind: 'busy', table: state.loading.table.name });
    // A crash may lie between the rows of a slice and its cursor: the slice is stored again, which changes nothing.
    if (isOwn) return load(source, table, read.value, signal);
    const nowMs = clock.nowMs();
    const kept = await record.write(read.value, (before) => begun(before, table, nowMs));
    return kept.isErr() ? err(kept.error) : load(source, table, kept.value, signal);
  };

  const append = async ({
    table: name,
    rowsBefore,
    rows,
    isLast,
  }: AppendRates): Promise<Result<{ readonly rows: number }, AppendError | StateMoved>> => {
    const parsed = eachOnce(rows, rateOf, ({ offerId }) => offerId);
    if (parsed.isErr()) return err(badLine(parsed.error));
    const read = await record.read();
    if (read.isErr()) return err(read.error);
    let kept = read.value;
    const total = rowsBefore + rows.length;
    const isSent = kept.state.loading?.table.version === SENT && kept.state.loading.table.name === name;
    if (rowsBefore === 0) {
      if (isBusy(kept.state.loading, isSent))
        return err({ kind: 'LoadBusy', table: kept.state.loading.table.name });
      const nowMs = clock.nowMs();
      const begin = await record.write(kept, (state) => begun(state, { name, version: SENT }, nowMs));
      if (begin.isErr()) return err(begin.error);
      kept = begin.value;
    }
    const { current, loading } = kept.state;
    if (!loading || loading.table.version !== SENT || loading.table.name !== name) {
      // The answer to the last rows may have been lost.
      const isDone = isLast && current?.table.version === SENT && current.table.name === name;
      return isDone && current.rows === total ? ok({ rows: total }) : err({ kind: 'LoadMoved', table: name });
    }
    if (loading.rows === rowsBefore) {
      const stored = await store(kept, loading, parsed.value, '');
      if (stored.isErr()) return err(stored.error);
      kept = stored.value;
    } else if (loading.rows !== total) return err({ kind: 'LoadMoved', table: name });
    if (!isLast) return ok({ rows: total });
    const finished = await finish(kept, kept.state.loading!);
    if (finished.isOk()) return ok({ rows: total });
    if (finished.error.kind !== 'BadTable') return err(finished.error);
    const given = await refuse(kept, { name, version: SENT }, finished.error);
    return err(given.isErr() ? given.error : finished.error);
  };

  return {
    newest: async (source, signal) => {
      const outcome = await newest(source, signal);
      if (outcome.isOk()) return ok(outcome.value);
      const { error } = outcome;
      // Another process goes on with the load.
      return error.kind === 'StateMoved' ? ok({ kind: 'busy', table: 'another one' }) : err(error);
    },
    append: async (given) =>
      (await append(given)).mapErr((error) =>
        error.kind === 'StateMoved' ? { kind: 'LoadMoved' as const, table: given.table } : error,
      ),
  };
};

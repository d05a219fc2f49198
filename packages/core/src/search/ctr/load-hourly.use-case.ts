import { err, ok, type Result } from 'neverthrow';
import type { OfferId } from '../../gost/index.ts';
import type { Clock, Logger, Unavailable } from '../../kernel/index.ts';
import type { HourlyRecord } from './ctr-record.store.ts';
import type { CtrQueue } from './ctr-stores.port.ts';
import { eachOnce, offerOf, type BadLine, type TableRow } from './table-rows.ts';
import { badLine, type BadTable, type TableInfo, type TableSource } from './table-source.port.ts';

export type AppendHourly = {
  readonly table: string;
  readonly rowsBefore: number;
  readonly rows: readonly TableRow[];
  readonly isLast: boolean;
};
export type HourlyOutcome = { readonly tables: number; readonly offers: number; readonly bad: number };
export type LoadHourly = {
  /** Puts the offers of every new table into the queue. Tables come late, and in any order. */
  fresh(source: TableSource, signal: AbortSignal): Promise<Result<HourlyOutcome, Unavailable>>;
  /** Takes the next rows of a table that a caller sends. A table that is remembered is not queued again. */
  readonly append: (
    given: AppendHourly,
  ) => Promise<Result<{ readonly rows: number }, BadTable | Unavailable>>;
};
export type LoadHourlyNeeds = {
  readonly remembered: HourlyRecord;
  readonly queue: CtrQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sliceRows: number;
  /** A loaded table is remembered for so long. An older table is not loaded any more. */
  readonly rememberedMs: number;
};

export const makeLoadHourly = (needs: LoadHourlyNeeds): LoadHourly => {
  const { remembered, queue, clock, logger, sliceRows, rememberedMs } = needs;
  /** Contents that were refused, so that the same mistake is reported once. A new process reports it again. */
  const refusedVersions = new Map<string, string>();

  /** Reads the whole table before anything of it is queued: a wrong line must not leave half of a table behind. */
  const offersOf = async (
    source: TableSource,
    table: TableInfo,
  ): Promise<Result<readonly OfferId[] | BadLine | undefined, Unavailable>> => {
    const ids = new Set<OfferId>();
    for (let cursor = ''; ;) {
      const page = await source.read('hourly', table, cursor, sliceRows);
      if (page.isErr()) {
        if (page.error.kind === 'Unavailable') return err(page.error);
        return ok(page.error.kind === 'BadTable' ? page.error : undefined);
      }
      for (const row of page.value.rows) {
        const id = offerOf(row);
        if (id.isErr()) return ok(id.error);
        ids.add(id.value);
      }
      if (page.value.next === undefined) return ok([...ids]);
      cursor = page.value.next;
    }
  };
  const enqueue = async (table: string, ids: readonly OfferId[]): Promise<Result<void, Unavailable>> => {
    for (let from = 0; from < ids.length; from += sliceRows) {
      const added = await queue.add(table, ids.slice(from, from + sliceRows));
      if (added.isErr()) return err(added.error);
    }
    return ok(undefined);
  };

  return {
    fresh: async (source, signal) => {
      const listed = await source.list('hourly');
      if (listed.isErr()) return err(listed.error);
      let tables = 0;
      let offers = 0;
      let bad = 0;
      for (const table of listed.value) {
        if (signal.aborted) break;
        if (table.atMs < clock.nowMs() - rememberedMs || refusedVersions.get(table.name) === table.version)
          continue;
        const known = await remembered.has(table.name);
        if (known.isErr()) return err(known.error);
        if (known.value) continue;
        const ids = await offersOf(source, table);
        if (ids.isErr()) return err(ids.error);
        if (ids.value === undefined) continue;
        if ('line' in ids.value) {
          const { line, message } = ids.value;
          logger.error('an hourly table was refused; nothing of it is sent again', {
            table: table.name,
            line,
            message,
          });
          refusedVersions.set(table.name, table.version);
          bad++;
          continue;
        }
        const queued = await enqueue(table.name, ids.value);
        if (queued.isErr()) return err(queued.error);
        // Only now: after a crash the table is queued again.
        const loadedAtMs = clock.nowMs();
        const added = await remembered.add({ table: table.name, offers: ids.value.length, loadedAtMs });
        if (added.isErr()) return err(added.error);
        tables++;
        offers += ids.value.length;
      }
      return ok({ tables, offers, bad });
    },
    append: async ({ table, rowsBefore, rows, isLast }) => {
      const ids = eachOnce(rows, offerOf, (id) => id);
      if (ids.isErr()) return err(badLine(ids.error));
      const known = await remembered.has(table);
      if (known.isErr()) return err(known.error);
      const total = rowsBefore + rows.length;
      if (known.value) return ok({ rows: total });
      const queued = await enqueue(table, ids.value);
      if (queued.isErr()) return err(queued.error);
      if (!isLast) return ok({ rows: total });
      const added = await remembered.add({ table, offers: total, loadedAtMs: clock.nowMs() });
      return added.map(() => ({ rows: total }));
    },
  };
};

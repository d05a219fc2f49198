import { err, ok } from 'neverthrow';
import type { JobSpec, Metrics } from '../../kernel/index.ts';
import type { LoadHourly } from './load-hourly.use-case.ts';
import type { LoadRates } from './load-rates.use-case.ts';
import type { PurgeRates } from './purge-rates.use-case.ts';
import type { ResendOffers } from './resend-offers.use-case.ts';
import type { TableSource } from './table-source.port.ts';

export type CtrTimes = {
  /** How often new tables are looked for. */
  readonly loadEveryMs: number;
  /** How often the queue of offers is worked. */
  readonly resendEveryMs: number;
  readonly purgeEveryMs: number;
};
export type CtrJobsNeeds = {
  /** Undefined: tables come by command only. */
  readonly source: TableSource | undefined;
  readonly loadRates: LoadRates;
  readonly loadHourly: LoadHourly;
  readonly resendOffers: ResendOffers;
  readonly purgeRates: PurgeRates;
  readonly metrics: Metrics;
  readonly times: CtrTimes;
};

/** The periodic work on click rates. Each job runs in one process at a time. */
export const ctrJobs = (needs: CtrJobsNeeds): readonly JobSpec[] => {
  const { source, loadRates, loadHourly, resendOffers, purgeRates, metrics, times } = needs;
  const bad = metrics.counter({
    name: 'doska_search_ctr_refused_total',
    help: 'Tables of click rates that were refused.',
    labels: ['kind'],
  });
  const load: JobSpec | undefined = source && {
    name: 'search-ctr-load',
    everyMs: times.loadEveryMs,
    run: async ({ signal }) => {
      const hourly = await loadHourly.fresh(source, signal);
      if (hourly.isErr()) return err({ kind: 'JobFailed', reason: hourly.error.what });
      if (hourly.value.bad > 0) bad.add(hourly.value.bad, { kind: 'hourly' });
      const weekly = await loadRates.newest(source, signal);
      if (weekly.isErr()) return err({ kind: 'JobFailed', reason: weekly.error.what });
      const outcome = weekly.value;
      if (outcome.kind === 'refused') {
        bad.add(1, { kind: 'weekly' });
        const { line, message } = outcome.bad;
        return err({ kind: 'JobFailed', reason: `table ${outcome.table}, line ${line}: ${message}` });
      }
      const { tables, offers } = hourly.value;
      const rates = outcome.kind === 'nothing' ? 'no new rates' : `${outcome.table} ${outcome.kind}`;
      return ok(`${rates}; ${offers} offers of ${tables} hourly tables queued`);
    },
  };
  return [
    ...(load ? [load] : []),
    {
      name: 'search-ctr-resend',
      everyMs: times.resendEveryMs,
      run: async ({ signal }) => {
        const done = await resendOffers(signal);
        if (done.isErr()) return err({ kind: 'JobFailed', reason: done.error.what });
        const { offers, unknown, failed } = done.value;
        return ok(`${offers} offers sent again, ${unknown} unknown, ${failed} not convertible`);
      },
    },
    {
      name: 'search-ctr-purge',
      everyMs: times.purgeEveryMs,
      run: async ({ signal }) => {
        const done = await purgeRates(signal);
        if (done.isErr()) return err({ kind: 'JobFailed', reason: done.error.what });
        const { rates, tables, queued } = done.value;
        return ok(`${rates} old rates, ${tables} table names and ${queued} queued offers deleted`);
      },
    },
  ];
};

import { errAsync, okAsync } from 'neverthrow';
import type { OfferId } from '../../gost/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { TableInfo, TableSource } from '../ctr/table-source.port.ts';
import { COUNT_ROWS_MAX, type ClickCountStore, type Hours } from './click-counts.port.ts';
import { rateWithPrior } from './click-rate.ts';
import { HOUR_MS, type EventSettings } from './search-event.ts';

/** Hourly tables are listed for so many hours: tables that come later are not loaded anyway. */
const HOURS_LISTED = 48;
const VERSION = 'events';
const WEEKLY = /^events-rates-(\d{1,15})$/;
const HOURLY = /^events-hour-(\d{1,15})$/;

type Needs = {
  readonly counts: Pick<ClickCountStore, 'hours' | 'sums'>;
  readonly clock: Clock;
  readonly settings: Pick<EventSettings, 'lateMs' | 'ratesEveryMs' | 'windowHours' | 'prior'>;
};

/** Tables of click rates, made of the platform's own impressions and clicks. */
export const eventTables = ({ counts, clock, settings }: Needs): TableSource => {
  const { lateMs, ratesEveryMs, windowHours, prior } = settings;
  /** The rates of a moment are those of the hours before it. */
  const windowOf = (atMs: number): Hours => {
    const to = Math.ceil(atMs / HOUR_MS);
    return { from: to - windowHours, to };
  };
  const hoursOf = (kind: 'weekly' | 'hourly', name: string): Hours | undefined => {
    const at = Number((kind === 'weekly' ? WEEKLY : HOURLY).exec(name)?.[1] ?? NaN);
    if (Number.isNaN(at)) return undefined;
    return kind === 'weekly' ? windowOf(at) : { from: at, to: at + 1 };
  };
  const hourly = () => {
    const to = Math.floor((clock.nowMs() - lateMs) / HOUR_MS);
    return counts.hours({ from: to - HOURS_LISTED, to }).map((found) =>
      found.map((hour): TableInfo => ({
        name: `events-hour-${hour}`,
        version: VERSION,
        atMs: (hour + 1) * HOUR_MS + lateMs,
      })),
    );
  };
  const weekly = () => {
    const atMs = Math.floor((clock.nowMs() - lateMs) / ratesEveryMs) * ratesEveryMs;
    return counts
      .hours(windowOf(atMs))
      .map((found): readonly TableInfo[] =>
        found.length === 0 ? [] : [{ name: `events-rates-${atMs}`, version: VERSION, atMs: atMs + lateMs }],
      );
  };
  return {
    list: (kind) => (kind === 'weekly' ? weekly() : hourly()),
    read: (kind, { name, version }, cursor, limit) => {
      const hours = version === VERSION ? hoursOf(kind, name) : undefined;
      if (!hours) return errAsync({ kind: 'TableMoved' as const, name });
      const [, read, after] = /^(\d+)\/(.*)$/.exec(cursor) ?? [undefined, '0', ''];
      const most = Math.min(limit, COUNT_ROWS_MAX);
      const from = Number(read);
      return counts.sums(hours, after === '' ? undefined : (after as OfferId), most).andThen((found) => {
        const rows = found.map((one, at) => ({
          line: from + at + 1,
          values: {
            offer_id: one.offerId,
            ...(kind === 'weekly' && { ctr: rateWithPrior(one, prior) }),
          },
        }));
        const last = found.at(-1);
        const next = last && found.length === most ? `${from + found.length}/${last.offerId}` : undefined;
        return okAsync({ rows, next });
      });
    },
  };
};

import { ok } from 'neverthrow';
import type { OfferId } from '../../gost/index.ts';
import { direct, transact, type Io, type MemoryDatabase, type MemoryTx } from '../../kernel/testing.ts';
import {
  COUNT_ROWS_MAX,
  type ClickCountStore,
  type Hours,
  type OfferCounts,
} from '../events/click-counts.port.ts';
import { HOUR_MS } from '../events/search-event.ts';

type Count = OfferCounts & { readonly hour: number };

const SHOWN = 'search_shown';
const COUNTS = 'search_click_count';
const number = (n: number): string => String(Math.max(0, n)).padStart(16, '0');

/** All rows of a range, page by page. */
const all = <T>(tx: MemoryTx, range: { from?: string; to?: string }): readonly T[] => {
  const rows: T[] = [];
  for (let after: string | undefined; ;) {
    const page = tx.scan<T>(COUNTS, {
      ...range,
      ...(after === undefined ? {} : { after }),
      limit: COUNT_ROWS_MAX,
    });
    rows.push(...page.map(([, row]) => row));
    if (page.length < COUNT_ROWS_MAX) return rows;
    after = page.at(-1)![0];
  }
};
const countsIn = (tx: MemoryTx, { from, to }: Hours): readonly Count[] =>
  all<Count>(tx, { from: number(from), to: number(to) });

export const inMemoryClickCounts = (db: MemoryDatabase, io: Io = direct): ClickCountStore => ({
  count: (shown) =>
    transact(db, io, 'clicks.count', { count: shown.length }, (tx) => {
      for (const { queryId, shownAtMs, offerId, isClicked } of shown) {
        const key = `${number(shownAtMs)}/${queryId}/${offerId}`;
        const known = tx.get<{ readonly isClicked: boolean }>(SHOWN, key);
        const isNewClick = isClicked && !known?.isClicked;
        if (known && !isNewClick) continue;
        tx.put(SHOWN, key, { isClicked });
        const hour = Math.floor(shownAtMs / HOUR_MS);
        const countKey = `${number(hour)}/${offerId}`;
        const before = tx.get<Count>(COUNTS, countKey) ?? { hour, offerId, impressions: 0, clicks: 0 };
        tx.put(COUNTS, countKey, {
          ...before,
          impressions: before.impressions + (known ? 0 : 1),
          clicks: before.clicks + (isNewClick ? 1 : 0),
        });
      }
      return ok(undefined);
    }),
  hours: (hours) =>
    transact(db, io, 'clicks.hours', hours, (tx) =>
      ok([...new Set(countsIn(tx, hours).map(({ hour }) => hour))].toSorted((one, other) => one - other)),
    ),
  sums: (hours, after, limit) =>
    transact(db, io, 'clicks.sums', { ...hours, after }, (tx) => {
      const sums = new Map<OfferId, OfferCounts>();
      for (const { offerId, impressions, clicks } of countsIn(tx, hours)) {
        const sum = sums.get(offerId);
        sums.set(offerId, {
          offerId,
          impressions: impressions + (sum?.impressions ?? 0),
          clicks: clicks + (sum?.clicks ?? 0),
        });
      }
      const sorted = [...sums.values()]
        .filter(({ offerId }) => after === undefined || offerId > after)
        .toSorted((one, other) => (one.offerId < other.offerId ? -1 : 1));
      return ok(sorted.slice(0, Math.min(limit, COUNT_ROWS_MAX)));
    }),
  forget: (beforeMs, limit) =>
    transact(db, io, 'clicks.forget', { beforeMs }, (tx) => {
      const some = tx.scan(SHOWN, { to: number(beforeMs), limit: Math.min(limit, COUNT_ROWS_MAX) });
      for (const [key] of some) tx.delete(SHOWN, key);
      return ok(some.length);
    }),
  purge: (beforeHour, limit) =>
    transact(db, io, 'clicks.purge', { beforeHour }, (tx) => {
      const some = tx.scan(COUNTS, { to: number(beforeHour), limit: Math.min(limit, COUNT_ROWS_MAX) });
      for (const [key] of some) tx.delete(COUNTS, key);
      return ok(some.length);
    }),
});

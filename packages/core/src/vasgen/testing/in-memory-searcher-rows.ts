import { ok } from 'neverthrow';
import { direct, transact, type Io, type MemoryDatabase } from '../../kernel/testing.ts';
import type { SearcherReport } from '../searcher/searcher-report.ts';
import { SEARCHERS_MAX, type SearcherRows } from '../searcher/searcher-rows.port.ts';
import { below } from './memory-rows.ts';

type SearcherRow = { readonly report: SearcherReport; readonly atMs: number };
const TABLE = 'vasgen_searcher';

export const inMemorySearcherRows = (db: MemoryDatabase, io: Io = direct): SearcherRows => ({
  report: (client, report) =>
    transact(db, io, 'vasgen.reportSearcher', { client, report }, (tx) => {
      tx.put(TABLE, `${client}/${report.searcher}`, { report, atMs: tx.nowMs } satisfies SearcherRow);
      return ok(undefined);
    }),
  live: (client, youngerThanMs) =>
    transact(db, io, 'vasgen.liveSearchers', { client, youngerThanMs }, (tx) =>
      ok(
        tx
          .scan<SearcherRow>(TABLE, { ...below(client), limit: SEARCHERS_MAX })
          .map(([, { report, atMs }]) => ({ ...report, ageMs: tx.nowMs - atMs }))
          .filter(({ ageMs }) => ageMs < youngerThanMs),
      ),
    ),
  remove: (client, searcher) =>
    transact(db, io, 'vasgen.removeSearcher', { client, searcher }, (tx) => {
      tx.delete(TABLE, `${client}/${searcher}`);
      return ok(undefined);
    }),
  purge: (client, olderThanMs, limit) =>
    transact(db, io, 'vasgen.purgeSearchers', { client, olderThanMs }, (tx) => {
      const old = tx
        .scan<SearcherRow>(TABLE, { ...below(client), limit: SEARCHERS_MAX })
        .filter(([, { atMs }]) => tx.nowMs - atMs >= olderThanMs)
        .slice(0, limit);
      for (const [key] of old) tx.delete(TABLE, key);
      return ok(old.length);
    }),
});

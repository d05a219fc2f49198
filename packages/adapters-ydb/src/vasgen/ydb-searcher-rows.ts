import { SEARCHERS_MAX, type SearcherIndex, type SearcherRows, type StoredReport } from '@doska/core/vasgen';
import type { YdbClient } from '../driver/client.ts';
import { query, rows } from '../driver/query.ts';

const REPORT = query({
  name: 'vasgen/searcher-report',
  parameters: { client: 'Utf8', searcher: 'Utf8', indexes: 'Utf8' },
  results: [],
  text: `UPSERT INTO vasgen_searcher (client, searcher, reported_at, indexes)
VALUES ($client, $searcher, CurrentUtcTimestamp(), $indexes);`,
});
/** A report takes a line for each partition of each index, and an answer up to 50 MB. */
const PAGE = 100;
const REPORTS = query({
  name: 'vasgen/searcher-reports',
  parameters: { client: 'Utf8', after: 'Utf8' },
  results: [{ now: 'Timestamp' }, { searcher: 'Utf8', reported_at: 'Timestamp', indexes: 'Utf8' }],
  text: `SELECT CurrentUtcTimestamp() AS now;
SELECT searcher, reported_at, indexes FROM vasgen_searcher WHERE client = $client AND searcher > $after
ORDER BY client, searcher LIMIT ${PAGE};`,
});
const AGES = query({
  name: 'vasgen/searcher-ages',
  parameters: { client: 'Utf8', after: 'Utf8' },
  results: [{ now: 'Timestamp' }, { searcher: 'Utf8', reported_at: 'Timestamp' }],
  text: `SELECT CurrentUtcTimestamp() AS now;
SELECT searcher, reported_at FROM vasgen_searcher WHERE client = $client AND searcher > $after
ORDER BY client, searcher LIMIT 1000;`,
});
const REMOVE = query({
  name: 'vasgen/searcher-remove',
  parameters: { keys: rows({ client: 'Utf8', searcher: 'Utf8' }) },
  results: [],
  text: 'DELETE FROM vasgen_searcher ON SELECT client, searcher FROM AS_TABLE($keys);',
});
export const searcherQueries = [REPORT, REPORTS, AGES, REMOVE];

/** The clock of the database may have gone back between the report and this read. */
const ageMs = (nowUs: number, reportedUs: number): number =>
  Math.max(0, Math.floor((nowUs - reportedUs) / 1_000));

export const ydbSearcherRows = (client: YdbClient): SearcherRows => ({
  report: (of, { searcher, indexes }) =>
    client.write(
      'vasgen.reportSearcher',
      async (tx) =>
        void (await tx.commit(REPORT, { client: of, searcher, indexes: JSON.stringify(indexes) })),
      { idempotent: true },
    ),
  live: (of, youngerThanMs) =>
    client.read('vasgen.liveSearchers', async (tx) => {
      const found: StoredReport[] = [];
      for (let after = ''; ;) {
        const [[time], page] = await tx.run(REPORTS, { client: of, after });
        for (const { searcher, reported_at, indexes } of page) {
          const age = ageMs(time?.now ?? 0, reported_at);
          if (age >= youngerThanMs) continue;
          found.push({ searcher, indexes: JSON.parse(indexes) as readonly SearcherIndex[], ageMs: age });
          if (found.length === SEARCHERS_MAX) return found;
        }
        if (page.length < PAGE) return found;
        after = page.at(-1)!.searcher;
      }
    }),
  remove: (of, searcher) =>
    client.write(
      'vasgen.removeSearcher',
      async (tx) => void (await tx.commit(REMOVE, { keys: [{ client: of, searcher }] })),
      { idempotent: true },
    ),
  purge: (of, olderThanMs, limit) =>
    client.write(
      'vasgen.purgeSearchers',
      async (tx) => {
        const old: { readonly client: string; readonly searcher: string }[] = [];
        const most = Math.min(limit, SEARCHERS_MAX);
        for (let after = ''; old.length < most;) {
          const [[time], page] = await tx.run(AGES, { client: of, after });
          for (const { searcher, reported_at } of page)
            if (ageMs(time?.now ?? 0, reported_at) >= olderThanMs) old.push({ client: of, searcher });
          if (page.length < SEARCHERS_MAX) break;
          after = page.at(-1)!.searcher;
        }
        const keys = old.slice(0, most);
        if (keys.length > 0) await tx.commit(REMOVE, { keys });
        return keys.length;
      },
      { idempotent: true },
    ),
});

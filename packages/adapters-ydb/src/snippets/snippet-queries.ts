import { list, query, rows } from '../driver/query.ts';
import { snippets, snippetsDue } from '../schema/snippet-tables.ts';

const KEY = { service: 'Utf8', kps: 'Uint32', key: 'Utf8', language: 'Utf8' } as const;
const { content: _content, ...KEPT } = snippets.columns;
/** Everything but the content. */
const COLUMNS = Object.keys(KEPT);
const JOINED = COLUMNS.map((column) => `s.${column} AS ${column}`).join(', ');
const BY_KEY = 's.service = k.service AND s.kps = k.kps AND s.key = k.key AND s.language = k.language';

export const CLOCK = query({
  name: 'snippets/clock',
  parameters: {},
  results: [{ now: 'Timestamp' }],
  text: 'SELECT CurrentUtcTimestamp() AS now;',
});
/** Rows without their contents, and the clock of the database. */
export const FIND = query({
  name: 'snippets/find',
  parameters: { keys: rows(KEY) },
  results: [{ now: 'Timestamp' }, KEPT],
  text: `SELECT CurrentUtcTimestamp() AS now;
SELECT ${JOINED}
FROM AS_TABLE($keys) AS k INNER JOIN snippet AS s ON ${BY_KEY};`,
});
export const CONTENTS = query({
  name: 'snippets/contents',
  parameters: { keys: rows(KEY) },
  results: [{ ...KEY, content: 'String?' }],
  text: `SELECT s.service AS service, s.kps AS kps, s.key AS key, s.language AS language, s.content AS content
FROM AS_TABLE($keys) AS k INNER JOIN snippet AS s ON ${BY_KEY};`,
});
export const WHOLE = query({
  name: 'snippets/whole',
  parameters: { keys: rows(KEY) },
  results: [{ now: 'Timestamp' }, snippets.columns],
  text: `SELECT CurrentUtcTimestamp() AS now;
SELECT ${JOINED}, s.content AS content
FROM AS_TABLE($keys) AS k INNER JOIN snippet AS s ON ${BY_KEY};`,
});
/** The rows of all languages. A row that is added meanwhile makes the commit fail. */
export const LANGUAGES = query({
  name: 'snippets/languages',
  parameters: { service: 'Utf8', kps: 'Uint32', keys: list('Utf8') },
  results: [KEPT],
  text: `SELECT ${COLUMNS.join(', ')} FROM snippet
WHERE service = $service AND kps = $kps AND key IN $keys ORDER BY service, kps, key, language LIMIT 1001;`,
});
export const PUT = query({
  name: 'snippets/put',
  parameters: {
    rows: rows(snippets.columns),
    gone: rows(KEY),
    undue: rows(snippetsDue.columns),
    due: rows(snippetsDue.columns),
  },
  results: [],
  text: `UPSERT INTO snippet SELECT ${COLUMNS.join(', ')}, content FROM AS_TABLE($rows);
DELETE FROM snippet ON SELECT service, kps, key, language FROM AS_TABLE($gone);
DELETE FROM snippet_due ON SELECT shard, at_ms, service, kps, key, language FROM AS_TABLE($undue);
UPSERT INTO snippet_due SELECT shard, at_ms, service, kps, key, language FROM AS_TABLE($due);`,
});
export const DUE = query({
  name: 'snippets/due',
  parameters: { shard: 'Uint32', now: 'Uint64', limit: 'Uint64' },
  results: [KEY],
  text: `SELECT service, kps, key, language FROM snippet_due WHERE shard = $shard AND at_ms <= $now
ORDER BY shard, at_ms, service, kps, key, language LIMIT $limit;`,
});
export const PAGE = query({
  name: 'snippets/page',
  parameters: {
    service: 'Utf8',
    kps: 'Uint32',
    from: 'Utf8',
    to: 'Utf8',
    after_key: 'Utf8',
    after_language: 'Utf8',
    limit: 'Uint64',
  },
  results: [{ now: 'Timestamp' }, KEPT],
  text: `SELECT CurrentUtcTimestamp() AS now;
SELECT ${COLUMNS.join(', ')} FROM snippet
WHERE service = $service AND kps = $kps AND key >= $from AND key <= $to
  AND (key > $after_key OR (key = $after_key AND language > $after_language))
ORDER BY service, kps, key, language LIMIT $limit;`,
});
export const snippetQueries = [CLOCK, FIND, CONTENTS, WHOLE, LANGUAGES, PUT, DUE, PAGE];

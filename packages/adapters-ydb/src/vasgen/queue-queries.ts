import { query, rows } from '../driver/query.ts';
import * as tables from '../schema/vasgen-tables.ts';
import { ADD_ELEMENTS, ELEMENT } from './element-rows.ts';
import { HEAD_KEY, ROW_KEY } from './registry-queries.ts';
import type { HEAD } from './registry-rows.ts';

const FAILURE = {
  failed_in: 'Uint32?',
  reason: 'Utf8?',
  attempts: 'Uint32?',
  retry_at_ms: 'Int64?',
} as const;
/** Of the row, which may be missing. Key columns come from the element. */
const ROW = {
  version: 'Int64?',
  timestamp_ms: 'Int64?',
  kind: 'Uint32?',
  status: 'Uint32?',
  expires_at_ms: 'Int64?',
  written_at_ms: 'Int64?',
  schema_number: 'Uint64?',
  lane: 'Uint32?',
  content_hash: 'Utf8?',
  body_bytes: 'Uint64?',
} as const satisfies Partial<Record<keyof typeof HEAD, string>>;
const from = (alias: string, columns: object): string =>
  Object.keys(columns)
    .map((name) => `${alias}.${name} AS ${name}`)
    .join(', ');

/** Elements with the rows of their documents as they are now, without bodies. */
export const QUEUE_READ = query({
  name: 'vasgen/queue-read',
  parameters: { client: 'Utf8', queue: 'Uint32', shard: 'Uint32', after: 'Uint64', limit: 'Uint64' },
  results: [
    {
      idx: 'Uint64',
      pk: 'Utf8',
      hash: 'Uint64',
      epoch: 'Int64',
      at_version: 'Int64',
      at_timestamp_ms: 'Int64',
      ...FAILURE,
      ...ROW,
    },
  ],
  text: `$e = (SELECT client, idx, pk, hash, epoch, version, timestamp_ms, ${Object.keys(FAILURE).join(', ')}
  FROM vasgen_element WHERE client = $client AND queue = $queue AND shard = $shard AND idx > $after
  ORDER BY client, queue, shard, idx LIMIT $limit);
SELECT e.idx AS idx, e.pk AS pk, e.hash AS hash, e.epoch AS epoch, e.version AS at_version,
  e.timestamp_ms AS at_timestamp_ms, ${from('e', FAILURE)},
  ${from('r', ROW)}
FROM $e AS e LEFT JOIN vasgen_registry AS r
  ON r.client = e.client AND r.epoch = e.epoch AND r.hash = e.hash AND r.pk = e.pk;`,
});
const OFFSET_KEY = { client: 'Utf8', queue: 'Uint32', shard: 'Uint32', reader: 'Utf8' } as const;
export const OFFSET = query({
  name: 'vasgen/offset',
  parameters: OFFSET_KEY,
  results: [{ idx: 'Uint64' }],
  text: `SELECT idx FROM vasgen_offset
WHERE client = $client AND queue = $queue AND shard = $shard AND reader = $reader;`,
});
export const ADVANCE = query({
  name: 'vasgen/advance',
  parameters: {
    ...OFFSET_KEY,
    idx: 'Uint64',
    heads: rows(tables.heads.columns),
    elements: rows(ELEMENT),
    parked: rows(tables.parkedElements.columns),
  },
  results: [],
  text: `UPSERT INTO vasgen_offset (client, queue, shard, reader, idx) VALUES ($client, $queue, $shard, $reader, $idx);
UPSERT INTO vasgen_head SELECT client, queue, shard, idx FROM AS_TABLE($heads);
${ADD_ELEMENTS}
UPSERT INTO vasgen_parked SELECT ${Object.keys(tables.parkedElements.columns).join(', ')} FROM AS_TABLE($parked);`,
});
const { client: _, ...PARKED_ELEMENT } = tables.parkedElements.columns;
export const PARKED = query({
  name: 'vasgen/parked',
  parameters: { client: 'Utf8', epoch: 'Int64', pk: 'Utf8', limit: 'Uint64' },
  results: [PARKED_ELEMENT],
  text: `SELECT ${Object.keys(PARKED_ELEMENT).join(', ')} FROM vasgen_parked
WHERE client = $client AND epoch >= $epoch AND (epoch > $epoch OR pk > $pk)
ORDER BY client, epoch, pk LIMIT $limit;`,
});
export const UNPARK = query({
  name: 'vasgen/unpark',
  parameters: { keys: rows({ client: 'Utf8', epoch: 'Int64', pk: 'Utf8' }) },
  results: [],
  text: 'DELETE FROM vasgen_parked ON SELECT client, epoch, pk FROM AS_TABLE($keys);',
});
export const RESEND_READ = query({
  name: 'vasgen/resend-read',
  parameters: { keys: rows(ROW_KEY), heads: rows(HEAD_KEY) },
  results: [{ pk: 'Utf8', version: 'Int64', timestamp_ms: 'Int64' }, tables.heads.columns],
  text: `SELECT r.pk AS pk, r.version AS version, r.timestamp_ms AS timestamp_ms FROM AS_TABLE($keys) AS k
INNER JOIN vasgen_registry AS r ON r.client = k.client AND r.epoch = k.epoch AND r.hash = k.hash AND r.pk = k.pk;
SELECT h.client AS client, h.queue AS queue, h.shard AS shard, h.idx AS idx FROM AS_TABLE($heads) AS k
INNER JOIN vasgen_head AS h ON h.client = k.client AND h.queue = k.queue AND h.shard = k.shard;`,
});
export const RESEND_WRITE = query({
  name: 'vasgen/resend-write',
  parameters: { heads: rows(tables.heads.columns), elements: rows(ELEMENT) },
  results: [],
  text: `UPSERT INTO vasgen_head SELECT client, queue, shard, idx FROM AS_TABLE($heads);
${ADD_ELEMENTS}`,
});
/** A page of the heads. `from` is the first shard of it. */
export const HEADS = query({
  name: 'vasgen/heads',
  parameters: { client: 'Utf8', queue: 'Uint32', from: 'Uint32' },
  results: [{ shards: 'Uint32' }, { shard: 'Uint32', idx: 'Uint64' }],
  text: `SELECT shards FROM vasgen_client WHERE client = $client;
SELECT shard, idx FROM vasgen_head WHERE client = $client AND queue = $queue AND shard >= $from
ORDER BY client, queue, shard LIMIT 1000;`,
});
export const SHARDS = query({
  name: 'vasgen/shards',
  parameters: { client: 'Utf8' },
  results: [{ shards: 'Uint32' }],
  text: 'SELECT shards FROM vasgen_client WHERE client = $client;',
});
export const OFFSETS = query({
  name: 'vasgen/offsets',
  parameters: { keys: rows(OFFSET_KEY) },
  results: [{ shard: 'Uint32', idx: 'Uint64' }],
  text: `SELECT o.shard AS shard, o.idx AS idx FROM AS_TABLE($keys) AS k INNER JOIN vasgen_offset AS o
  ON o.client = k.client AND o.queue = k.queue AND o.shard = k.shard AND o.reader = k.reader;`,
});
/** Offsets of every reader of a shard, and its oldest elements. */
export const PURGEABLE = query({
  name: 'vasgen/purgeable',
  parameters: { client: 'Utf8', queue: 'Uint32', shard: 'Uint32', limit: 'Uint64' },
  results: [{ idx: 'Uint64' }, { idx: 'Uint64', written_at: 'Timestamp' }],
  text: `SELECT idx FROM vasgen_offset WHERE client = $client AND queue = $queue AND shard = $shard
ORDER BY client, queue, shard, reader LIMIT 1000;
SELECT idx, written_at FROM vasgen_element WHERE client = $client AND queue = $queue AND shard = $shard
ORDER BY client, queue, shard, idx LIMIT $limit;`,
});
export const PURGE = query({
  name: 'vasgen/purge',
  parameters: { keys: rows({ client: 'Utf8', queue: 'Uint32', shard: 'Uint32', idx: 'Uint64' }) },
  results: [],
  text: 'DELETE FROM vasgen_element ON SELECT client, queue, shard, idx FROM AS_TABLE($keys);',
});
export const queueQueries = [
  QUEUE_READ,
  OFFSET,
  ADVANCE,
  PARKED,
  UNPARK,
  RESEND_READ,
  RESEND_WRITE,
  HEADS,
  SHARDS,
  OFFSETS,
  PURGEABLE,
  PURGE,
];

import { list, query, rows } from '../driver/query.ts';
import * as archive from '../schema/vasgen-archive-tables.ts';
import * as tables from '../schema/vasgen-tables.ts';
import { HEAD, HEAD_OF_R } from './registry-rows.ts';
import { ADD_ELEMENTS, ELEMENT } from './element-rows.ts';

export const ROW_KEY = { client: 'Utf8', epoch: 'Int64', hash: 'Uint64', pk: 'Utf8' } as const;
export const HEAD_KEY = { client: 'Utf8', queue: 'Uint32', shard: 'Uint32' } as const;
const DUE_KEY = 'client, shard, what, at_ms, epoch, pk';
const BY_KEY = `INNER JOIN vasgen_registry AS r
  ON r.client = k.client AND r.epoch = k.epoch AND r.hash = k.hash AND r.pk = k.pk`;

/** Rows by their keys, without bodies. */
export const ROWS_OF = query({
  name: 'vasgen/rows-of',
  parameters: { keys: rows(ROW_KEY) },
  results: [HEAD],
  text: `SELECT ${HEAD_OF_R} FROM AS_TABLE($keys) AS k ${BY_KEY};`,
});
export const BODIES_OF = query({
  name: 'vasgen/bodies-of',
  parameters: { keys: rows(ROW_KEY) },
  results: [{ epoch: 'Int64', pk: 'Utf8', body: 'String?' }],
  text: `SELECT r.epoch AS epoch, r.pk AS pk, r.body AS body FROM AS_TABLE($keys) AS k ${BY_KEY};`,
});
/** All that the commit of documents is decided by. Reading an absent row also protects it from a concurrent insert. */
export const ACCEPT_READ = query({
  name: 'vasgen/accept-read',
  parameters: { client: 'Utf8', epochs: list('Int64'), keys: rows(ROW_KEY), heads: rows(HEAD_KEY) },
  results: [{ epoch: 'Int64' }, { ...HEAD, shard: 'Uint32' }, tables.heads.columns],
  text: `SELECT epoch FROM vasgen_epoch WHERE client = $client AND epoch IN $epochs;
SELECT ${HEAD_OF_R}, r.shard AS shard FROM AS_TABLE($keys) AS k ${BY_KEY};
SELECT h.client AS client, h.queue AS queue, h.shard AS shard, h.idx AS idx FROM AS_TABLE($heads) AS k
INNER JOIN vasgen_head AS h ON h.client = k.client AND h.queue = k.queue AND h.shard = k.shard;`,
});
export const ERASED_READ = query({
  name: 'vasgen/accept-read-erased',
  parameters: { client: 'Utf8', pks: list('Utf8') },
  results: [{ pk: 'Utf8', at_ms: 'Int64' }],
  text: 'SELECT pk, at_ms FROM vasgen_erasure WHERE client = $client AND pk IN $pks;',
});
export const ACCEPT_WRITE = query({
  name: 'vasgen/accept-write',
  parameters: {
    raised: rows({ ...ROW_KEY, lane: 'Uint32' }),
    rows: rows(tables.registry.columns),
    due_gone: rows(tables.due.columns),
    due: rows(tables.due.columns),
    heads: rows(tables.heads.columns),
    elements: rows(ELEMENT),
    schemas: rows(tables.schemas.columns),
    erasures: rows(archive.erasures.columns),
    erasures_moved: rows(archive.erasureAges.columns),
    erasures_due: rows(archive.erasureAges.columns),
  },
  results: [],
  text: `UPDATE vasgen_registry ON SELECT client, epoch, hash, pk, lane FROM AS_TABLE($raised);
UPSERT INTO vasgen_registry SELECT ${Object.keys(tables.registry.columns).join(', ')} FROM AS_TABLE($rows);
DELETE FROM vasgen_due ON SELECT ${DUE_KEY} FROM AS_TABLE($due_gone);
UPSERT INTO vasgen_due SELECT ${DUE_KEY}, hash FROM AS_TABLE($due);
UPSERT INTO vasgen_head SELECT client, queue, shard, idx FROM AS_TABLE($heads);
${ADD_ELEMENTS}
UPSERT INTO vasgen_schema SELECT client, epoch, number, body FROM AS_TABLE($schemas);
UPSERT INTO vasgen_erasure SELECT client, pk, at_ms FROM AS_TABLE($erasures);
DELETE FROM vasgen_erasure_age ON SELECT client, bucket, at_ms, pk FROM AS_TABLE($erasures_moved);
UPSERT INTO vasgen_erasure_age SELECT client, bucket, at_ms, pk FROM AS_TABLE($erasures_due);`,
});
export const SCAN = query({
  name: 'vasgen/scan',
  parameters: { client: 'Utf8', epoch: 'Int64', hash: 'Uint64', pk: 'Utf8', limit: 'Uint64' },
  results: [HEAD],
  text: `SELECT ${Object.keys(HEAD).join(', ')} FROM vasgen_registry
WHERE client = $client AND epoch = $epoch AND hash >= $hash AND (hash > $hash OR pk > $pk)
ORDER BY client, epoch, hash, pk LIMIT $limit;`,
});
export const EXPIRED = query({
  name: 'vasgen/expired',
  parameters: { client: 'Utf8', shard: 'Uint32', now: 'Int64', limit: 'Uint64' },
  results: [HEAD],
  text: `$k = (SELECT client, epoch, hash, pk FROM vasgen_due
  WHERE client = $client AND shard = $shard AND what = 0u AND at_ms <= $now ORDER BY ${DUE_KEY} LIMIT $limit);
SELECT ${HEAD_OF_R} FROM $k AS k ${BY_KEY};`,
});
export const TOMBSTONES = query({
  name: 'vasgen/tombstones',
  parameters: { client: 'Utf8', shard: 'Uint32', before: 'Int64', limit: 'Uint64' },
  results: [{ ...tables.due.columns, status: 'Uint32?', written_at_ms: 'Int64?' }],
  text: `$k = (SELECT ${DUE_KEY}, hash FROM vasgen_due
  WHERE client = $client AND shard = $shard AND what = 1u AND at_ms < $before ORDER BY ${DUE_KEY} LIMIT $limit);
SELECT k.client AS client, k.shard AS shard, k.what AS what, k.at_ms AS at_ms, k.epoch AS epoch, k.pk AS pk,
  k.hash AS hash, r.status AS status, r.written_at_ms AS written_at_ms
FROM $k AS k LEFT JOIN vasgen_registry AS r
  ON r.client = k.client AND r.epoch = k.epoch AND r.hash = k.hash AND r.pk = k.pk;`,
});
export const ROWS_OF_EPOCH = query({
  name: 'vasgen/rows-of-epoch',
  parameters: { client: 'Utf8', epoch: 'Int64', limit: 'Uint64' },
  results: [{ epoch: 'Int64' }, { ...HEAD, shard: 'Uint32' }],
  text: `SELECT epoch FROM vasgen_epoch WHERE client = $client AND epoch = $epoch;
SELECT ${Object.keys(HEAD).join(', ')}, shard FROM vasgen_registry
WHERE client = $client AND epoch = $epoch ORDER BY client, epoch, hash, pk LIMIT $limit;`,
});
export const REMOVE_ROWS = query({
  name: 'vasgen/remove-rows',
  parameters: { rows: rows(ROW_KEY), due: rows(tables.due.columns) },
  results: [],
  text: `DELETE FROM vasgen_registry ON SELECT client, epoch, hash, pk FROM AS_TABLE($rows);
DELETE FROM vasgen_due ON SELECT ${DUE_KEY} FROM AS_TABLE($due);`,
});
export const registryQueries = [
  ROWS_OF,
  BODIES_OF,
  ACCEPT_READ,
  ERASED_READ,
  ACCEPT_WRITE,
  SCAN,
  EXPIRED,
  TOMBSTONES,
  ROWS_OF_EPOCH,
  REMOVE_ROWS,
];

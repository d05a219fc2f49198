import { table } from './table-spec.ts';

export const vasgenClients = table({
  name: 'vasgen_client',
  columns: { client: 'Utf8', shards: 'Uint32', version: 'Uint64' },
  primaryKey: ['client'],
});
/** The living epochs. Every commit of documents reads these rows, so they change only when the states do. */
export const epochs = table({
  name: 'vasgen_epoch',
  columns: { client: 'Utf8', epoch: 'Int64', state: 'Uint32' },
  primaryKey: ['client', 'epoch'],
});
/** Apart from the epochs, so that a growth does not conflict with the commits of documents that need none. */
export const schemas = table({
  name: 'vasgen_schema',
  columns: { client: 'Utf8', epoch: 'Int64', number: 'Uint64', body: 'Utf8' },
  primaryKey: ['client', 'epoch'],
});
/**
 * The epoch stands before the hash, so that a scan and the removal of a finished epoch are ranges. `body_bytes` tells
 * how many bodies fit one answer before they are read. `lane` is a code, as all other words here.
 */
export const registry = table({
  name: 'vasgen_registry',
  columns: {
    client: 'Utf8',
    epoch: 'Int64',
    hash: 'Uint64',
    pk: 'Utf8',
    shard: 'Uint32',
    version: 'Int64',
    timestamp_ms: 'Int64',
    kind: 'Uint32',
    status: 'Uint32',
    expires_at_ms: 'Int64?',
    written_at_ms: 'Int64',
    schema_number: 'Uint64',
    lane: 'Uint32',
    content_hash: 'Utf8',
    body_bytes: 'Uint64',
    body: 'String?',
  },
  primaryKey: ['client', 'epoch', 'hash', 'pk'],
});
/** When something happens to a row by itself. `what` 0: its ttl runs out. 1: its tombstone was written at that time. */
export const due = table({
  name: 'vasgen_due',
  columns: {
    client: 'Utf8',
    shard: 'Uint32',
    what: 'Uint32',
    at_ms: 'Int64',
    epoch: 'Int64',
    pk: 'Utf8',
    hash: 'Uint64',
  },
  primaryKey: ['client', 'shard', 'what', 'at_ms', 'epoch', 'pk'],
});

/** The last idx of a shard of a queue. A commit that adds elements reads and writes it: so idx is in commit order. */
export const heads = table({
  name: 'vasgen_head',
  columns: { client: 'Utf8', queue: 'Uint32', shard: 'Uint32', idx: 'Uint64' },
  primaryKey: ['client', 'queue', 'shard'],
});
/** The last four columns but one belong to the queue `failed`. */
export const elements = table({
  name: 'vasgen_element',
  columns: {
    client: 'Utf8',
    queue: 'Uint32',
    shard: 'Uint32',
    idx: 'Uint64',
    pk: 'Utf8',
    hash: 'Uint64',
    epoch: 'Int64',
    version: 'Int64',
    timestamp_ms: 'Int64',
    failed_in: 'Uint32?',
    reason: 'Utf8?',
    attempts: 'Uint32?',
    retry_at_ms: 'Int64?',
    written_at: 'Timestamp',
  },
  primaryKey: ['client', 'queue', 'shard', 'idx'],
});
/** The shard stands before the reader, so that a purge finds the offsets of all readers in one range. */
export const offsets = table({
  name: 'vasgen_offset',
  columns: { client: 'Utf8', queue: 'Uint32', shard: 'Uint32', reader: 'Utf8', idx: 'Uint64' },
  primaryKey: ['client', 'queue', 'shard', 'reader'],
});
export const parkedElements = table({
  name: 'vasgen_parked',
  columns: {
    client: 'Utf8',
    epoch: 'Int64',
    pk: 'Utf8',
    version: 'Int64',
    timestamp_ms: 'Int64',
    failed_in: 'Uint32',
    reason: 'Utf8',
    attempts: 'Uint32',
    retry_at_ms: 'Int64',
  },
  primaryKey: ['client', 'epoch', 'pk'],
});

export const refusals = table({
  name: 'vasgen_refusal',
  columns: {
    client: 'Utf8',
    hash: 'Uint64',
    pk: 'Utf8',
    epoch: 'Int64',
    version: 'Int64',
    timestamp_ms: 'Int64',
    verdict: 'Utf8',
    reason: 'Utf8',
    at_ms: 'Int64',
  },
  primaryKey: ['client', 'hash', 'pk', 'epoch'],
});
/** Refusals by age; a bucket is a hash of the document's key. */
export const refusalAges = table({
  name: 'vasgen_refusal_age',
  columns: { client: 'Utf8', bucket: 'Uint32', at_ms: 'Int64', pk: 'Utf8', epoch: 'Int64' },
  primaryKey: ['client', 'bucket', 'at_ms', 'pk', 'epoch'],
});
export const searchers = table({
  name: 'vasgen_searcher',
  columns: { client: 'Utf8', searcher: 'Utf8', reported_at: 'Timestamp', indexes: 'Utf8' },
  primaryKey: ['client', 'searcher'],
});

export const vasgenTables = [
  vasgenClients,
  epochs,
  schemas,
  registry,
  due,
  heads,
  elements,
  offsets,
  parkedElements,
  refusals,
  refusalAges,
  searchers,
];

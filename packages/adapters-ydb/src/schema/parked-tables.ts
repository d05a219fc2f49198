import { table, type TableSpec } from './table-spec.ts';

/** Records of the export queue that the log refused for good. */
export const parked = table({
  name: 'gost_parked',
  columns: {
    shard: 'Uint32',
    at_us: 'Uint64',
    topic: 'Utf8',
    record_key: 'Utf8',
    record_id: 'Utf8',
    body: 'String',
    reason: 'Utf8',
  },
  primaryKey: ['shard', 'at_us', 'topic', 'record_key', 'record_id'],
});
export const parkedTables: readonly TableSpec[] = [parked];

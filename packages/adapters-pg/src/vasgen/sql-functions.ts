import { sqlFunction } from '../driver/sql-function.ts';

/** The row set of `functions/vasgen.accept.sql`. `n` is the place of a write in the call. */
export const ACCEPT = sqlFunction({
  name: 'vasgen.accept',
  values: { of_client: 'text' },
  rows: {
    writes: {
      n: 'integer',
      epoch: 'bigint',
      hash: 'bigint',
      pk: 'text',
      shard: 'integer',
      version: 'bigint',
      timestamp_ms: 'bigint',
      kind: 'smallint',
      status: 'smallint',
      expires_at_ms: 'bigint?',
      written_at_ms: 'bigint',
      schema: 'bigint',
      lane: 'smallint',
      content_hash: 'text',
      body: 'bytes?',
      may_be_first: 'smallint',
      erases: 'smallint',
    },
  },
});

/** The specs that the files in `functions/` are filled in from. */
export const vasgenFunctions = [ACCEPT];

import { sqlFunction } from '../driver/sql-function.ts';

/* The row sets of the functions in `functions/gost.*.sql`. A `unit` is the place of a unit in the call. */

const lines = {
  seller: 'text',
  preset: 'smallint',
  created_at_us: 'bigint',
  offer_id: 'text',
} as const;
const totals = {
  seller: 'text',
  total: 'smallint',
  currency: 'text',
  seq_no: 'smallint',
  change: 'bigint',
} as const;
const timers = { what: 'smallint', shard: 'integer', at_us: 'bigint', offer_id: 'text' } as const;
/** The primary key of `gost.queue`. */
export const QUEUE_KEYS = {
  shard: 'integer',
  at_us: 'bigint',
  topic: 'text',
  key: 'text',
  id: 'text',
} as const;
const queue = { ...QUEUE_KEYS, value: 'bytes' } as const;
const feedRow = { unit: 'integer', seller: 'text', namespace: 'text', external_id: 'text' } as const;

export const COMMIT = sqlFunction({
  name: 'gost.commit',
  values: {},
  rows: {
    offers: {
      unit: 'integer',
      id: 'text',
      expected_version: 'bigint',
      version: 'bigint',
      seller: 'text',
      hash: 'bigint',
      status: 'smallint',
      head: 'bytes',
      history: 'bytes',
    },
    bodies: { unit: 'integer', offer_id: 'text', kind: 'smallint', body: 'bytes' },
    /** `change` is 1 for a line that is added, -1 for one that is removed. */
    lines: { unit: 'integer', ...lines, change: 'smallint' },
    sales: { unit: 'integer', seller: 'text', offer_id: 'text', currency: 'text', earned: 'bigint' },
    totals: { unit: 'integer', ...totals },
    queue: { unit: 'integer', ...queue },
    /** `change` as in `lines`. */
    timers: { unit: 'integer', ...timers, change: 'smallint' },
    slots: {
      unit: 'integer',
      owner_kind: 'smallint',
      owner_id: 'text',
      expected_version: 'bigint',
      draft_id: 'text?',
      saved_at_us: 'bigint',
      body: 'bytes?',
    },
    erased_drafts: { unit: 'integer', id: 'text' },
    published_drafts: { unit: 'integer', id: 'text', offer_id: 'text', at_us: 'bigint' },
    feeds: {
      unit: 'integer',
      seller: 'text',
      namespace: 'text',
      expected_version: 'bigint',
      body: 'bytes',
    },
    feed_rows: { ...feedRow, task: 'bigint', removed_at_us: 'bigint?', body: 'bytes' },
    dropped_feed_rows: feedRow,
  },
});

export const NEWS = sqlFunction({
  name: 'gost.news',
  values: {},
  rows: { asked: { id: 'text', version: 'bigint' } },
});

export const ARCHIVE_MOVE = sqlFunction({
  name: 'gost.archive_move',
  values: { to_segment: 'bytea', moved_at_us: 'bigint' },
  rows: {
    offers: {
      id: 'text',
      expected_version: 'bigint',
      seller: 'text',
      segment_offset: 'integer',
      segment_length: 'integer',
    },
    lines,
    totals,
    timers,
  },
});

export const ARCHIVE_REWRITE = sqlFunction({
  name: 'gost.archive_rewrite',
  values: { old_segment: 'bytea', new_segment: 'bytea' },
  rows: {
    offers: { id: 'text', version: 'bigint', segment_offset: 'integer', segment_length: 'integer' },
    queue,
  },
});

/** The specs that the files in `functions/` are filled in from. */
export const gostFunctions = [COMMIT, NEWS, ARCHIVE_MOVE, ARCHIVE_REWRITE];

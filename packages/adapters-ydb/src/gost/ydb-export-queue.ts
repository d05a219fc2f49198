import { err, ok, type ResultAsync } from 'neverthrow';
import { type OfferId } from '@doska/core/gost';
import {
  ROWS_MAX,
  type ExportQueue,
  type ParkedRecord,
  type QueuedRecord,
  type Timers,
} from '@doska/core/gost/storage';
import type { Unavailable } from '@doska/core/kernel';
import type { YdbClient } from '../driver/client.ts';
import { query, rows } from '../driver/query.ts';

export const SHARDS_READ = query({
  name: 'gost/shards-read',
  parameters: {},
  results: [{ setting: 'Uint64' }],
  text: 'SELECT setting FROM gost_setting WHERE name = "shards"u;',
});
export const SHARDS_WRITE = query({
  name: 'gost/shards-write',
  parameters: { shards: 'Uint64' },
  results: [],
  text: 'UPSERT INTO gost_setting (name, setting) VALUES ("shards"u, $shards);',
});
export const QUEUE_READ = query({
  name: 'gost/queue-read',
  parameters: { shard: 'Uint32', limit: 'Uint64' },
  results: [{ at_us: 'Uint64', topic: 'Utf8', record_key: 'Utf8', record_id: 'Utf8', body: 'String' }],
  text: `SELECT at_us, topic, record_key, record_id, body FROM gost_queue WHERE shard = $shard
ORDER BY shard, at_us, topic, record_key, record_id LIMIT $limit;`,
});
/** Exactly these keys. A range would also delete records that were not read, because they were committed late. */
export const QUEUE_DELETE = query({
  name: 'gost/queue-delete',
  parameters: {
    keys: rows({ shard: 'Uint32', at_us: 'Uint64', topic: 'Utf8', record_key: 'Utf8', record_id: 'Utf8' }),
  },
  results: [],
  text: 'DELETE FROM gost_queue ON SELECT shard, at_us, topic, record_key, record_id FROM AS_TABLE($keys);',
});
const PARKED_KEY = {
  shard: 'Uint32',
  at_us: 'Uint64',
  topic: 'Utf8',
  record_key: 'Utf8',
  record_id: 'Utf8',
} as const;
export const PARK = query({
  name: 'gost/park',
  parameters: { parked: rows({ ...PARKED_KEY, body: 'String', reason: 'Utf8' }) },
  results: [],
  text: `UPSERT INTO gost_parked SELECT shard, at_us, topic, record_key, record_id, body, reason FROM AS_TABLE($parked);
DELETE FROM gost_queue ON SELECT shard, at_us, topic, record_key, record_id FROM AS_TABLE($parked);`,
});
const PARKED_ROW = { at_us: 'Uint64', topic: 'Utf8', record_key: 'Utf8', record_id: 'Utf8' } as const;
const PARKED_RESULT = { ...PARKED_ROW, body: 'String', reason: 'Utf8' } as const;
export const PARKED = query({
  name: 'gost/parked',
  parameters: { shard: 'Uint32', limit: 'Uint64' },
  results: [PARKED_RESULT],
  text: `SELECT at_us, topic, record_key, record_id, body, reason FROM gost_parked WHERE shard = $shard
ORDER BY shard, at_us, topic, record_key, record_id LIMIT $limit;`,
});
export const PARKED_OF_KEY = query({
  name: 'gost/parked-of-key',
  parameters: { shard: 'Uint32', key: 'Utf8', limit: 'Uint64' },
  results: [PARKED_RESULT],
  text: `SELECT at_us, topic, record_key, record_id, body, reason FROM gost_parked
WHERE shard = $shard AND record_key = $key ORDER BY shard, at_us, topic, record_key, record_id LIMIT $limit;`,
});
export const PARKED_ONE = query({
  name: 'gost/parked-one',
  parameters: PARKED_KEY,
  results: [{ body: 'String' }],
  text: `SELECT body FROM gost_parked WHERE shard = $shard AND at_us = $at_us AND topic = $topic
AND record_key = $record_key AND record_id = $record_id;`,
});
export const UNPARK = query({
  name: 'gost/unpark',
  parameters: { back: rows({ ...PARKED_KEY, body: 'String' }) },
  results: [],
  text: `UPSERT INTO gost_queue SELECT shard, at_us, topic, record_key, record_id, body FROM AS_TABLE($back);
DELETE FROM gost_parked ON SELECT shard, at_us, topic, record_key, record_id FROM AS_TABLE($back);`,
});
export const DUE = query({
  name: 'gost/due',
  parameters: { shard: 'Uint32', now: 'Uint64', limit: 'Uint64' },
  results: [{ at_us: 'Uint64', offer_id: 'Utf8' }],
  text: `SELECT expires_at_us AS at_us, offer_id FROM gost_expiry WHERE shard = $shard AND expires_at_us <= $now
ORDER BY shard, expires_at_us, offer_id LIMIT $limit;`,
});
export const ARCHIVE_DUE = query({
  name: 'gost/archive-due',
  parameters: { shard: 'Uint32', now: 'Uint64', limit: 'Uint64' },
  results: [{ at_us: 'Uint64', offer_id: 'Utf8' }],
  text: `SELECT retired_at_us AS at_us, offer_id FROM gost_archive_due WHERE shard = $shard AND retired_at_us <= $now
ORDER BY shard, retired_at_us, offer_id LIMIT $limit;`,
});

export const ydbExportQueue = (client: YdbClient): ExportQueue => {
  const read = (shard: number, limit: number): ResultAsync<readonly QueuedRecord[], Unavailable> =>
    client
      .read('gost.queue.read', async (tx) => (await tx.commit(QUEUE_READ, { shard, limit }))[0])
      .map((found) =>
        found.map(({ at_us, topic, record_key, record_id, body }) => ({
          shard,
          atUs: at_us,
          topic,
          key: record_key,
          id: record_id,
          value: body,
        })),
      )
      // A batch of the largest records does not fit one answer; half of it may.
      .orElse((error) => (error.retryable || limit <= 1 ? err(error) : read(shard, Math.floor(limit / 2))));
  const parked = (
    shard: number,
    limit: number,
    key: string | undefined,
  ): ResultAsync<readonly ParkedRecord[], Unavailable> =>
    client
      .read('gost.queue.parked', async (tx) =>
        key === undefined
          ? (await tx.commit(PARKED, { shard, limit }))[0]
          : (await tx.commit(PARKED_OF_KEY, { shard, limit, key }))[0],
      )
      .map((found) =>
        found.map(({ at_us, record_key, record_id, body, topic, reason }) => ({
          shard,
          atUs: at_us,
          topic,
          key: record_key,
          id: record_id,
          bytes: body.length,
          reason,
        })),
      )
      .orElse((error) =>
        error.retryable || limit <= 1 ? err(error) : parked(shard, Math.floor(limit / 2), key),
      );
  return {
    settleShards: (configured) =>
      client
        .write(
          'gost.settleShards',
          async (tx) => {
            const [[known]] = await tx.run(SHARDS_READ, {});
            if (known) return known.setting;
            await tx.commit(SHARDS_WRITE, { shards: configured });
            return configured;
          },
          { idempotent: true },
        )
        .andThen((shards) =>
          shards === configured
            ? ok(undefined)
            : err({ kind: 'ShardsMismatch' as const, set: 'gost-export', shards, configured }),
        ),
    read: (shard, limit) => read(shard, Math.min(limit, ROWS_MAX)),
    delete: (keys) => {
      const named = new Map(
        keys.map(({ shard, atUs, topic, key, id }) => [
          JSON.stringify([shard, atUs, topic, key, id]),
          { shard, at_us: atUs, topic, record_key: key, record_id: id },
        ]),
      );
      return client.write(
        'gost.queue.delete',
        async (tx) => {
          if (named.size > 0) await tx.commit(QUEUE_DELETE, { keys: [...named.values()] });
        },
        { idempotent: true },
      );
    },
    park: (records, reason) =>
      client.write(
        'gost.queue.park',
        async (tx) => {
          const parked = records.map(({ shard, atUs, topic, key, id, value }) => ({
            shard,
            at_us: atUs,
            topic,
            record_key: key,
            record_id: id,
            body: value,
            reason,
          }));
          if (parked.length > 0) await tx.commit(PARK, { parked });
        },
        { idempotent: true },
      ),
    parked: (shard, limit, key) => parked(shard, Math.min(limit, ROWS_MAX), key),
    unpark: ({ shard, atUs, topic, key, id }) =>
      client.write(
        'gost.queue.unpark',
        async (tx) => {
          const at = { shard, at_us: atUs, topic, record_key: key, record_id: id };
          const [[found]] = await tx.run(PARKED_ONE, at);
          if (!found) return false;
          await tx.commit(UNPARK, { back: [{ ...at, body: found.body }] });
          return true;
        },
        { idempotent: true },
      ),
  };
};

const DUE_BY_KIND = { expiry: DUE, archive: ARCHIVE_DUE } as const;
export const ydbTimers = (client: YdbClient): Timers => ({
  due: (what, shard, untilUs, limit) =>
    client.read('gost.timers.due', async (tx) => {
      const asked = { shard, now: Math.max(0, untilUs), limit: Math.min(limit, ROWS_MAX) };
      const [found] = await tx.commit(DUE_BY_KIND[what], asked);
      return found.map(({ at_us, offer_id }) => ({
        what,
        shard,
        atUs: at_us,
        offerId: offer_id as OfferId,
      }));
    }),
});

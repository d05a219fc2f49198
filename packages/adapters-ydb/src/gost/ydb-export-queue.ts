import { err, ok, type ResultAsync } from 'neverthrow';
import { ROWS_MAX, type ExportQueue, type OfferId, type QueuedRecord, type Timers } from '@doska/core/gost';
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
/** Exactly these: what a range would take along was never read, because its commit came late. */
export const QUEUE_DELETE = query({
  name: 'gost/queue-delete',
  parameters: {
    keys: rows({ shard: 'Uint32', at_us: 'Uint64', topic: 'Utf8', record_key: 'Utf8', record_id: 'Utf8' }),
  },
  results: [],
  text: 'DELETE FROM gost_queue ON SELECT shard, at_us, topic, record_key, record_id FROM AS_TABLE($keys);',
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
          ...{ shard, atUs: at_us, topic, key: record_key, id: record_id, value: body },
        })),
      )
      // A batch of the largest records does not fit an answer; half of it may.
      .orElse((error) => (error.retryable || limit <= 1 ? err(error) : read(shard, Math.floor(limit / 2))));
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
  };
};

const DUE_BY_KIND = { expiry: DUE, archive: ARCHIVE_DUE } as const;
export const ydbTimers = (client: YdbClient): Timers => ({
  due: (what, shard, untilUs, limit) =>
    client.read('gost.timers.due', async (tx) => {
      const asked = { shard, now: Math.max(0, untilUs), limit: Math.min(limit, ROWS_MAX) };
      const [found] = await tx.commit(DUE_BY_KIND[what], asked);
      return found.map(({ at_us, offer_id }) => ({
        ...{ what, shard, atUs: at_us, offerId: offer_id as OfferId },
      }));
    }),
});

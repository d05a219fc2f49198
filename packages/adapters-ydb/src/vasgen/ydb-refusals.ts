import { ok, ResultAsync, type Result } from 'neverthrow';
import type { Unavailable } from '@doska/core/kernel';
import {
  pkHashOf,
  REGISTRY_ROWS_MAX,
  type ClientName,
  type Refusal,
  type RefusalStore,
} from '@doska/core/vasgen';
import type { YdbClient } from '../driver/client.ts';
import type { RowOf } from '../driver/column-type.ts';
import { query, rows } from '../driver/query.ts';
import { allBuckets, bucketOf } from '../schema/buckets.ts';
import { refusalAges, refusals } from '../schema/vasgen-tables.ts';
import { keyOf } from './registry-rows.ts';

const KEY = { client: 'Utf8', hash: 'Uint64', pk: 'Utf8', epoch: 'Int64' } as const;
const REFUSALS_READ = query({
  name: 'vasgen/refusals-read',
  parameters: { keys: rows(KEY) },
  results: [{ pk: 'Utf8', epoch: 'Int64', at_ms: 'Int64' }],
  text: `SELECT r.pk AS pk, r.epoch AS epoch, r.at_ms AS at_ms FROM AS_TABLE($keys) AS k INNER JOIN vasgen_refusal AS r
  ON r.client = k.client AND r.hash = k.hash AND r.pk = k.pk AND r.epoch = k.epoch;`,
});
const REFUSALS_WRITE = query({
  name: 'vasgen/refusals-write',
  parameters: {
    rows: rows(refusals.columns),
    moved: rows(refusalAges.columns),
    ages: rows(refusalAges.columns),
  },
  results: [],
  text: `UPSERT INTO vasgen_refusal SELECT ${Object.keys(refusals.columns).join(', ')} FROM AS_TABLE($rows);
DELETE FROM vasgen_refusal_age ON SELECT client, bucket, at_ms, pk, epoch FROM AS_TABLE($moved);
UPSERT INTO vasgen_refusal_age SELECT client, bucket, at_ms, pk, epoch FROM AS_TABLE($ages);`,
});
const REFUSALS_OF = query({
  name: 'vasgen/refusals-of',
  parameters: { client: 'Utf8', hash: 'Uint64', pk: 'Utf8' },
  results: [refusals.columns],
  text: `SELECT ${Object.keys(refusals.columns).join(', ')} FROM vasgen_refusal
WHERE client = $client AND hash = $hash AND pk = $pk ORDER BY client, hash, pk, epoch LIMIT 1000;`,
});
const REFUSED_BEFORE = query({
  name: 'vasgen/refused-before',
  parameters: { client: 'Utf8', bucket: 'Uint32', before: 'Int64', limit: 'Uint64' },
  results: [refusalAges.columns],
  text: `SELECT client, bucket, at_ms, pk, epoch FROM vasgen_refusal_age
WHERE client = $client AND bucket = $bucket AND at_ms < $before
ORDER BY client, bucket, at_ms, pk, epoch LIMIT $limit;`,
});
const REFUSALS_FORGET = query({
  name: 'vasgen/refusals-forget',
  parameters: { ages: rows(refusalAges.columns), rows: rows(KEY) },
  results: [],
  text: `DELETE FROM vasgen_refusal ON SELECT client, hash, pk, epoch FROM AS_TABLE($rows);
DELETE FROM vasgen_refusal_age ON SELECT client, bucket, at_ms, pk, epoch FROM AS_TABLE($ages);`,
});
export const refusalQueries = [REFUSALS_READ, REFUSALS_WRITE, REFUSALS_OF, REFUSED_BEFORE, REFUSALS_FORGET];

/** A reason takes up to 4 KB, and a transaction about 1 MB. */
const ADDED_AT_ONCE = 200;
type Age = RowOf<typeof refusalAges.columns>;
const ageOf = (client: ClientName, { pk, epoch }: Pick<Refusal, 'pk' | 'epoch'>, at_ms: number): Age => ({
  client,
  bucket: bucketOf(pk),
  at_ms,
  pk,
  epoch,
});
const rowOf = (client: ClientName, refusal: Refusal): RowOf<typeof refusals.columns> => ({
  client,
  hash: pkHashOf(refusal.pk),
  pk: refusal.pk,
  epoch: refusal.epoch,
  version: refusal.version,
  timestamp_ms: refusal.timestampMs,
  verdict: refusal.verdict,
  reason: refusal.reason,
  at_ms: refusal.atMs,
});
/** One for each document and epoch, the newest. */
const newest = (all: readonly Refusal[]): readonly Refusal[] => {
  const kept = new Map<string, Refusal>();
  for (const refusal of all) {
    const known = kept.get(keyOf(refusal));
    if (!known || known.atMs <= refusal.atMs) kept.set(keyOf(refusal), refusal);
  }
  return [...kept.values()];
};

export const ydbRefusals = (client: YdbClient): RefusalStore => {
  const addSome = (of: ClientName, some: readonly Refusal[]): ResultAsync<void, Unavailable> =>
    client.write(
      'vasgen.refuse',
      async (tx) => {
        const keys = some.map(({ pk, epoch }) => ({ client: of, hash: pkHashOf(pk), pk, epoch }));
        const [found] = await tx.run(REFUSALS_READ, { keys });
        const known = new Map(found.map((row) => [keyOf(row), row.at_ms]));
        const added = some.filter((one) => (known.get(keyOf(one)) ?? one.atMs) <= one.atMs);
        if (added.length === 0) return;
        const moved = added.flatMap((one) => {
          const atMs = known.get(keyOf(one));
          return atMs === undefined || atMs === one.atMs ? [] : [ageOf(of, one, atMs)];
        });
        await tx.commit(REFUSALS_WRITE, {
          rows: added.map((one) => rowOf(of, one)),
          moved,
          ages: added.map((one) => ageOf(of, one, one.atMs)),
        });
      },
      { idempotent: true },
    );
  const addAll = async (of: ClientName, all: readonly Refusal[]): Promise<Result<void, Unavailable>> => {
    for (let from = 0; from < all.length; from += ADDED_AT_ONCE) {
      const added = await addSome(of, all.slice(from, from + ADDED_AT_ONCE));
      if (added.isErr()) return added;
    }
    return ok(undefined);
  };
  return {
    add: (of, all) => new ResultAsync(addAll(of, newest(all))),
    of: (of, pk) =>
      client.read('vasgen.refusals', async (tx) => {
        const [found] = await tx.commit(REFUSALS_OF, { client: of, hash: pkHashOf(pk), pk });
        return found.map(({ epoch, version, timestamp_ms, verdict, reason, at_ms }) => ({
          pk,
          epoch,
          version,
          timestampMs: timestamp_ms,
          verdict: verdict as Refusal['verdict'],
          reason,
          atMs: at_ms,
        }));
      }),
    purge: (of, beforeMs, limit) =>
      client.write(
        'vasgen.purgeRefusals',
        async (tx) => {
          const ages: Age[] = [];
          for (const bucket of allBuckets) {
            const most = Math.min(limit, REGISTRY_ROWS_MAX) - ages.length;
            if (most <= 0) break;
            const asked = { client: of, bucket, before: beforeMs, limit: most };
            ages.push(...(await tx.run(REFUSED_BEFORE, asked))[0]);
          }
          const rows = ages.map(({ pk, epoch }) => ({ client: of, hash: pkHashOf(pk), pk, epoch }));
          if (ages.length > 0) await tx.commit(REFUSALS_FORGET, { ages, rows });
          return ages.length;
        },
        { idempotent: true },
      ),
  };
};

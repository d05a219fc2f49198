import type pg from 'pg';
import { REGISTRY_ROWS_MAX, type Refusal, type RefusalStore } from '@doska/core/vasgen';
import { guard } from '../driver/guard.ts';

const ADD = `insert into vasgen.refusal as r (client, pk, epoch, version, timestamp_ms, verdict, reason, at_ms)
  select distinct on (a.pk, a.epoch) $1, a.* from unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::bigint[])
    a(pk, epoch, version, timestamp_ms, verdict, reason, at_ms)
  order by a.pk, a.epoch, a.at_ms desc
  on conflict (client, pk, epoch) do update set version = excluded.version, timestamp_ms = excluded.timestamp_ms,
    verdict = excluded.verdict, reason = excluded.reason, at_ms = excluded.at_ms where r.at_ms <= excluded.at_ms`;
const OF = `select pk, epoch, version, timestamp_ms, verdict, reason, at_ms from vasgen.refusal
  where client = $1 and pk = $2 order by epoch limit $3`;
const PURGE = `delete from vasgen.refusal where (client, pk, epoch) in (
  select client, pk, epoch from vasgen.refusal where client = $1 and at_ms < $2 order by at_ms limit $3)`;

type RefusalColumns = {
  readonly pk: string;
  readonly epoch: string;
  readonly version: string;
  readonly timestamp_ms: string;
  readonly verdict: Refusal['verdict'];
  readonly reason: string;
  readonly at_ms: string;
};

export const pgRefusals = (pool: pg.Pool): RefusalStore => ({
  add: (client, refusals) =>
    guard('vasgen.refuse', async () => {
      await pool.query(ADD, [
        client,
        refusals.map(({ pk }) => pk),
        refusals.map(({ epoch }) => epoch),
        refusals.map(({ version }) => version),
        refusals.map(({ timestampMs }) => timestampMs),
        refusals.map(({ verdict }) => verdict),
        refusals.map(({ reason }) => reason),
        refusals.map(({ atMs }) => atMs),
      ]);
    }),
  of: (client, pk) =>
    guard('vasgen.refusals', async () => {
      const { rows } = await pool.query<RefusalColumns>(OF, [client, pk, REGISTRY_ROWS_MAX]);
      return rows.map(({ epoch, version, timestamp_ms, verdict, reason, at_ms }) => ({
        pk,
        epoch: Number(epoch),
        version: Number(version),
        timestampMs: Number(timestamp_ms),
        verdict,
        reason,
        atMs: Number(at_ms),
      }));
    }),
  purge: (client, beforeMs, limit) =>
    guard('vasgen.purgeRefusals', async () => {
      const values = [client, beforeMs, Math.min(limit, REGISTRY_ROWS_MAX)];
      return (await pool.query(PURGE, values)).rowCount ?? 0;
    }),
});

import type pg from 'pg';
import type { OfferId } from '@doska/core/gost';
import { PARKED_ROWS_MAX, type ParkCause, type ParkedOffer, type ParkingLot } from '@doska/core/search';
import { guard } from '../driver/guard.ts';

const PARK = `insert into search.parked as p
    (offer, cause, reason, version_us, since_ms, retry_at_ms, attempts, sent, revision)
  select a.offer, a.cause, a.reason, a.version_us, a.at_ms, a.retry_at_ms, 0, false, 1
  from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
    a(offer, cause, reason, version_us, at_ms, retry_at_ms)
  order by a.offer -- always in one order, so that two callers do not block each other
  on conflict (offer) do update set cause = excluded.cause, reason = excluded.reason,
    version_us = greatest(p.version_us, excluded.version_us), retry_at_ms = excluded.retry_at_ms,
    sent = false, revision = p.revision + 1`;
const FIND = 'select * from search.parked where offer = any($1) order by offer';
const DUE = 'select * from search.parked where retry_at_ms <= $1 order by retry_at_ms, offer limit $2';
const LIST = 'select * from search.parked where offer > $1 order by offer limit $2';
const CHANGE = `update search.parked set reason = $3, attempts = $4, retry_at_ms = $5, sent = $6, revision = revision + 1
  where offer = $1 and revision = $2`;
const REMOVE = 'delete from search.parked where offer = $1 and revision = $2';
const COUNT = 'select count(*) as count from search.parked';

type Columns = {
  readonly offer: OfferId;
  readonly cause: ParkCause;
  readonly reason: string;
  readonly version_us: string;
  readonly since_ms: string;
  readonly retry_at_ms: string;
  readonly attempts: number;
  readonly sent: boolean;
  readonly revision: string;
};
const rowToParked = (row: Columns): ParkedOffer => ({
  offerId: row.offer,
  cause: row.cause,
  reason: row.reason,
  versionUs: Number(row.version_us),
  sinceMs: Number(row.since_ms),
  retryAtMs: Number(row.retry_at_ms),
  attempts: row.attempts,
  sent: row.sent,
  revision: Number(row.revision),
});

/** The lot of parked offers on one database. */
export const pgParkingLot = (pool: pg.Pool): ParkingLot => {
  const rows = (what: string, sql: string, values: readonly unknown[]) =>
    guard(what, async () => (await pool.query<Columns>(sql, [...values])).rows.map(rowToParked));
  const bounded = (limit: number): number => Math.min(limit, PARKED_ROWS_MAX);
  return {
    park: (offers) =>
      guard('lot.park', async () => {
        await pool.query(PARK, [
          offers.map(({ offerId }) => offerId),
          offers.map(({ cause }) => cause),
          offers.map(({ reason }) => reason),
          offers.map(({ versionUs }) => versionUs),
          offers.map(({ atMs }) => atMs),
          offers.map(({ retryAtMs }) => retryAtMs),
        ]);
      }),
    find: (ids) => rows('lot.find', FIND, [ids]),
    due: (nowMs, limit) => rows('lot.due', DUE, [nowMs, bounded(limit)]),
    list: (after, limit) => rows('lot.list', LIST, [after, bounded(limit)]),
    settle: (id, revision, change) =>
      guard('lot.settle', async () => {
        const done = change
          ? await pool.query(CHANGE, [
              id,
              revision,
              change.reason,
              change.attempts,
              change.retryAtMs,
              change.sent,
            ])
          : await pool.query(REMOVE, [id, revision]);
        return done.rowCount === 1;
      }),
    count: () =>
      guard('lot.count', async () => Number((await pool.query<{ count: string }>(COUNT)).rows[0]!.count)),
  };
};

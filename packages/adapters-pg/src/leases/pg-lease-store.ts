import { err, ok, type Result } from 'neverthrow';
import type pg from 'pg';
import type { LeaseStore, LeaseView, ShardsMismatch, ShardToken } from '@doska/core/kernel';
import { guard } from '../driver/guard.ts';
import { inTransaction } from '../driver/transaction.ts';

/* Every step is one transaction. Only the server's clock_timestamp() decides what has expired. */
const VIEW = `select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms, s.name, s.shards,
    coalesce((select array_agg(member order by member) from lease_member m where m.set_name = s.name and m.expires_at > clock_timestamp()), '{}') as members,
    coalesce((select json_agg(json_build_array(shard, token, owner, extract(epoch from expires_at) * 1000) order by shard) from lease l where l.set_name = s.name), '[]') as leases
  from lease_set s`;
type ViewRow = {
  readonly now_ms: number;
  readonly name: string;
  readonly shards: number;
  readonly members: string[];
  readonly leases: [number, number, string | null, number][];
};
const viewOf = ({ now_ms, members, leases }: ViewRow): LeaseView => ({
  nowMs: Math.round(now_ms),
  members,
  leases: leases.map(([shard, token, owner, expiresAtMs]) => ({
    shard,
    token,
    owner: owner ?? undefined,
    expiresAtMs: owner === null ? 0 : Math.round(expiresAtMs),
  })),
});

const SET = `insert into lease_set (name, shards) values ($1, $2) on conflict (name) do nothing`;
const ROWS = `insert into lease (set_name, shard, token, owner, expires_at) select $1, shard, 0, null, '-infinity' from generate_series(0, $2::int - 1) shard on conflict do nothing`;
const MEMBER = `insert into lease_member (set_name, member, expires_at) values ($1, $2, clock_timestamp() + $3::float8 * interval '1 millisecond')
  on conflict (set_name, member) do update set expires_at = excluded.expires_at`;
const EXTEND = `update lease set expires_at = clock_timestamp() + $3::float8 * interval '1 millisecond' where set_name = $1 and owner = $2 and expires_at > clock_timestamp()`;
/* Rows are locked in the order of shards, so that two members cannot deadlock. */
const TAKE = `with wanted as (
    select l.set_name, l.shard from lease l join unnest($4::int[], $5::bigint[]) w(shard, token) on w.shard = l.shard and w.token = l.token
    where l.set_name = $1 and (l.owner is null or l.expires_at <= clock_timestamp()) order by l.shard for update of l)
  update lease l set token = l.token + 1, owner = $2, expires_at = clock_timestamp() + $3::float8 * interval '1 millisecond'
  from wanted where l.set_name = wanted.set_name and l.shard = wanted.shard returning l.shard, l.token`;
const RELEASE = `update lease l set owner = null, expires_at = '-infinity' from unnest($3::int[], $4::bigint[]) h(shard, token)
  where l.set_name = $1 and l.owner = $2 and l.shard = h.shard and l.token = h.token`;
const GONE = `delete from lease_member where set_name = $1 and expires_at < clock_timestamp() - interval '1 hour'`;

export const pgLeaseStore = (pool: pg.Pool): LeaseStore => {
  const beat = async (
    tx: pg.PoolClient,
    set: string,
    shards: number,
    member: string,
    leaseMs: number,
  ): Promise<Result<LeaseView, ShardsMismatch>> => {
    const view = async (): Promise<ViewRow | undefined> =>
      (await tx.query<ViewRow>({ name: 'lease_view', text: `${VIEW} where s.name = $1`, values: [set] }))
        .rows[0];
    const known = (
      await tx.query<{ shards: number }>({
        name: 'lease_set',
        text: 'select shards from lease_set where name = $1',
        values: [set],
      })
    ).rows[0];
    if (!known) {
      await tx.query(SET, [set, shards]);
      await tx.query(ROWS, [set, shards]);
      await tx.query(GONE, [set]);
    }
    const actual = known?.shards ?? (await view())?.shards ?? shards;
    if (actual !== shards) return err({ kind: 'ShardsMismatch', set, shards: actual, configured: shards });
    await tx.query({ name: 'lease_member', text: MEMBER, values: [set, member, leaseMs] });
    await tx.query({ name: 'lease_extend', text: EXTEND, values: [set, member, leaseMs] });
    const row = await view();
    if (!row) throw new Error(`the lease set ${set} was deleted during the transaction`);
    return ok(viewOf(row));
  };
  return {
    beat: ({ set, shards, member, leaseMs }) =>
      inTransaction(pool, 'leases.beat', (tx) => beat(tx, set, shards, member, leaseMs)),
    take: ({ set, member, leaseMs, wanted }) =>
      guard('leases.take', async () => {
        const { rows } = await pool.query<{ shard: number; token: string }>(TAKE, [
          set,
          member,
          leaseMs,
          wanted.map((w) => w.shard),
          wanted.map((w) => w.token),
        ]);
        return rows.map(({ shard, token }): ShardToken => ({ shard, token: Number(token) }));
      }),
    release: ({ set, member, held }) =>
      guard(
        'leases.release',
        async () =>
          void (await pool.query(RELEASE, [set, member, held.map((h) => h.shard), held.map((h) => h.token)])),
      ),
    leave: ({ set, member }) =>
      inTransaction(pool, 'leases.leave', async (tx) => {
        await tx.query('delete from lease_member where set_name = $1 and member = $2', [set, member]);
        await tx.query(
          `update lease set owner = null, expires_at = '-infinity' where set_name = $1 and owner = $2`,
          [set, member],
        );
        return ok(undefined);
      }),
    list: () =>
      guard('leases.list', async () =>
        (await pool.query<ViewRow>(`${VIEW} order by s.name`)).rows.map((row) => ({
          set: row.name,
          view: viewOf(row),
        })),
      ),
  };
};

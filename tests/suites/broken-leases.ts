import { okAsync, type ResultAsync } from 'neverthrow';
import type { LeaseRow, LeaseStore, Unavailable } from '@doska/core/kernel';
import type { MemoryDatabase } from '@doska/core/kernel/testing';
import type { Breakage } from './breakage.ts';

type Row = Omit<LeaseRow, 'shard'>;

/** Stores that are wrong in one step each. They reach behind the right one into its rows. */
export const brokenLeaseStores = (db: MemoryDatabase): readonly Breakage<LeaseStore>[] => {
  const rows = (set: string): (readonly [string, Row])[] =>
    [...(db.tables.get('lease')?.rows ?? [])].filter(([key]) => key.startsWith(`${set}\n`)) as [
      string,
      Row,
    ][];
  const edit = (set: string, change: (row: Row, key: string) => Row): void => {
    for (const [key, row] of rows(set)) db.tables.get('lease')?.rows.set(key, change(row, key));
  };
  const leasesOf = (right: LeaseStore, set: string): ResultAsync<readonly LeaseRow[], Unavailable> =>
    right.list().map((sets) => sets.find((one) => one.set === set)?.view.leases ?? []);
  const shardOf = (key: string): number => Number(key.slice(key.indexOf('\n') + 1));
  return [
    {
      name: 'tokens that do not grow',
      noticedBy: ['a live lease is not taken, a released one is, and the token grows'],
      broken: (right) => ({
        ...right,
        take: (take) =>
          right.take(take).map((taken) => {
            const shards = new Set(taken.map(({ shard }) => shard));
            edit(take.set, (row, key) => (shards.has(shardOf(key)) ? { ...row, token: 1 } : row));
            return taken.map(({ shard }) => ({ shard, token: 1 }));
          }),
      }),
    },
    {
      name: 'a take that does not look at the token',
      noticedBy: ['a take with a stale token takes nothing'],
      broken: (right) => ({
        ...right,
        take: (take) =>
          leasesOf(right, take.set).andThen((leases) =>
            right.take({
              ...take,
              wanted: take.wanted.map(({ shard }) => ({ shard, token: leases[shard]?.token ?? 0 })),
            }),
          ),
      }),
    },
    {
      name: 'a take that gives to everybody who asks',
      noticedBy: ['one of ten concurrent takers gets a shard', 'a live lease is not taken'],
      broken: (right) => ({
        ...right,
        take: (take) =>
          right.take(take).map(() => take.wanted.map(({ shard, token }) => ({ shard, token: token + 1 }))),
      }),
    },
    {
      name: 'a release that looks at nothing',
      noticedBy: ['`release` frees only shards held under exactly that token'],
      broken: (right) => ({
        ...right,
        release: ({ set, held }) => {
          const freed = new Set(held.map(({ shard }) => shard));
          edit(set, (row, key) =>
            freed.has(shardOf(key)) ? { ...row, owner: undefined, expiresAtMs: 0 } : row,
          );
          return okAsync(undefined);
        },
      }),
    },
    {
      name: 'a beat that revives what has expired',
      noticedBy: ['an expired lease can be taken and is not extended by a late heartbeat'],
      broken: (right) => ({
        ...right,
        beat: (beat) => {
          edit(beat.set, (row) =>
            row.owner === beat.member ? { ...row, expiresAtMs: db.nowMs() + beat.leaseMs } : row,
          );
          return right.beat(beat);
        },
      }),
    },
    {
      name: 'a beat that extends nothing',
      noticedBy: ['a heartbeat extends the leases of the member'],
      broken: (right) => ({
        ...right,
        beat: (beat) => {
          const before = new Map(rows(beat.set));
          return right.beat(beat).map((view) => {
            edit(beat.set, (row, key) => ({
              ...row,
              expiresAtMs: before.get(key)?.expiresAtMs ?? row.expiresAtMs,
            }));
            return view;
          });
        },
      }),
    },
    {
      name: 'a leave that keeps the leases',
      noticedBy: ['`leave` frees all shards at once and keeps their tokens'],
      broken: (right) => ({
        ...right,
        leave: ({ set, member }) => {
          db.tables.get('lease_member')?.rows.delete(`${set}\n${member}`);
          return okAsync(undefined);
        },
      }),
    },
    {
      name: 'a leave that forgets the tokens',
      noticedBy: ['`leave` frees all shards at once and keeps their tokens'],
      broken: (right) => ({
        ...right,
        leave: (leave) =>
          right
            .leave(leave)
            .map(() => edit(leave.set, () => ({ token: 0, owner: undefined, expiresAtMs: 0 }))),
      }),
    },
    {
      name: 'members that never expire',
      noticedBy: ['a member without heartbeats disappears from the view'],
      broken: (right) => ({ ...right, beat: (beat) => right.beat({ ...beat, leaseMs: 3_600_000 }) }),
    },
    {
      name: 'any number of shards',
      noticedBy: ['another number of shards is refused and changes nothing'],
      broken: (right) => ({
        ...right,
        beat: (beat) =>
          leasesOf(right, beat.set).andThen((known) =>
            right.beat({ ...beat, shards: known.length || beat.shards }),
          ),
      }),
    },
  ];
};

import { err, ok } from 'neverthrow';
import type { LeaseRow, LeaseStore, LeaseView } from '@doska/core/kernel';
import type { YdbClient } from '../driver/client.ts';
import type { RowOf } from '../driver/column-type.ts';
import type { leases } from '../schema/lease-tables.ts';
import { LEASE_SETS, LEASE_WRITE } from './lease-queries.ts';
import { readLeases, readSet, viewSet, type SeenSet } from './read-leases.ts';

type Stored = RowOf<typeof leases.columns>;
const nothing = { sets: [], gone: [], members: [], leases: [] } as const;
/** Members that expired this long ago are deleted. */
const FORGET_US = 3_600_000_000;
/** At most so many by one heartbeat: a transaction is bounded. */
const FORGOTTEN_MAX = 200;

const isHeld = ({ owner, expires_at }: Pick<Stored, 'owner' | 'expires_at'>, nowUs: number): boolean =>
  owner !== undefined && (expires_at ?? 0) > nowUs;
const freed = (row: Stored): Stored => ({ ...row, owner: undefined, expires_at: undefined });

/** The rows that were read, with the writes of this step applied. */
const viewOf = (
  { shards, members, leases: rows }: SeenSet,
  nowUs: number,
  changed: { readonly shards?: number; readonly member?: string; readonly leases?: readonly Stored[] } = {},
): LeaseView => {
  const known = new Map([...rows, ...(changed.leases ?? [])].map((row) => [row.shard, row]));
  const alive = members.filter(({ expires_at }) => expires_at > nowUs).map(({ member }) => member);
  const leaseOf = (shard: number): LeaseRow => {
    const { token = 0, owner, expires_at = 0 } = known.get(shard) ?? {};
    return { shard, token, owner, expiresAtMs: owner === undefined ? 0 : Math.floor(expires_at / 1_000) };
  };
  return {
    nowMs: Math.floor(nowUs / 1_000),
    members: [...new Set(changed.member === undefined ? alive : [...alive, changed.member])].sort(),
    leases: Array.from({ length: changed.shards ?? shards ?? 0 }, (_, shard) => leaseOf(shard)),
  };
};

/**
 * Leases as rows. A step reads only the rows that it changes, by key, so that members of one set do not conflict. Only
 * the clock of the database, read in the same transaction, decides what has expired.
 */
export const ydbLeaseStore = (client: YdbClient): LeaseStore => {
  return {
    beat: ({ set, shards, member, leaseMs }) =>
      viewSet(client, set)
        .andThen((seen) =>
          client.write(
            'leases.beat',
            async (tx) => {
              const mine = seen.leases.filter(({ owner }) => owner === member);
              const { nowUs, shards: known, leases: rows } = await readLeases(tx, set, mine);
              if (known !== undefined && known !== shards)
                return err({
                  kind: 'ShardsMismatch' as const,
                  set,
                  shards: known,
                  configured: shards,
                });
              const expires_at = nowUs + leaseMs * 1_000;
              const extended = rows
                .filter((row) => row.owner === member && isHeld(row, nowUs))
                .map((row) => ({ ...row, expires_at }));
              const gone = seen.members
                .filter((one) => one.member !== member && one.expires_at < nowUs - FORGET_US)
                .slice(0, FORGOTTEN_MAX);
              await tx.commit(LEASE_WRITE, {
                sets: known === undefined ? [{ set_name: set, shards }] : [],
                gone: gone.map((one) => ({ set_name: set, member: one.member })),
                members: [{ set_name: set, member, expires_at }],
                leases: extended,
              });
              return ok(viewOf(seen, nowUs, { shards, member, leases: [...rows, ...extended] }));
            },
            { idempotent: true },
          ),
        )
        .andThen((outcome) => outcome),
    take: ({ set, member, leaseMs, wanted }) =>
      client.write('leases.take', async (tx) => {
        if (wanted.length === 0) return [];
        const { nowUs, leases: rows } = await readLeases(tx, set, wanted);
        const free = wanted.filter(({ shard, token }) => {
          const row = rows.find((one) => one.shard === shard);
          return (row?.token ?? 0) === token && !(row && isHeld(row, nowUs));
        });
        if (free.length === 0) return [];
        const expires_at = nowUs + leaseMs * 1_000;
        const taken = free.map(({ shard, token }) => ({ shard, token: token + 1 }));
        await tx.commit(LEASE_WRITE, {
          ...nothing,
          leases: taken.map((one) => ({ ...one, set_name: set, owner: member, expires_at })),
        });
        return taken;
      }),
    release: ({ set, member, held }) =>
      client.write(
        'leases.release',
        async (tx) => {
          if (held.length === 0) return;
          const { leases: rows } = await readLeases(tx, set, held);
          const ours = rows.filter(
            (row) =>
              row.owner === member &&
              held.some(({ shard, token }) => shard === row.shard && token === row.token),
          );
          if (ours.length > 0) await tx.commit(LEASE_WRITE, { ...nothing, leases: ours.map(freed) });
        },
        { idempotent: true },
      ),
    leave: ({ set, member }) =>
      client.write(
        'leases.leave',
        async (tx) => {
          const { leases: rows } = await readSet(tx, set);
          const ours = rows
            .filter(({ owner }) => owner === member)
            .map((row) => freed({ ...row, set_name: set }));
          await tx.commit(LEASE_WRITE, { ...nothing, gone: [{ set_name: set, member }], leases: ours });
        },
        { idempotent: true },
      ),
    list: () =>
      client.read('leases.list', async (tx) => {
        const found: { readonly set: string; readonly view: LeaseView }[] = [];
        for (let after = ''; ;) {
          const [sets] = await tx.run(LEASE_SETS, { after });
          for (const { set_name: set } of sets) {
            const seen = await readSet(tx, set);
            found.push({ set, view: viewOf(seen, seen.nowUs) });
          }
          const last = sets.at(-1);
          if (!last) return found;
          after = last.set_name;
        }
      }),
  };
};

import type { LeaseView, ShardToken } from '../ports/lease-store.port.ts';

export type LeasePlan = { readonly take: readonly ShardToken[]; readonly giveBack: readonly number[] };

/** The fair share of a member. Shares differ by at most one; the first members by name get one more. */
export const fairShare = (members: readonly string[], member: string, shards: number): number => {
  const place = members.indexOf(member);
  if (place < 0) return 0;
  return Math.floor(shards / members.length) + (place < shards % members.length ? 1 : 0);
};

/**
 * Decides the next step of a member: take free shards up to its fair share, or hand back the surplus.
 * `holds` are the shards it works on. It can only hand back shards that the view assigns to it.
 */
export const planLeases = (view: LeaseView, member: string, holds: readonly number[]): LeasePlan => {
  const due = fairShare(view.members, member, view.leases.length);
  if (holds.length >= due) return { take: [], giveBack: [...holds].sort((a, b) => a - b).slice(due) };
  const free = view.leases.filter(
    ({ owner, expiresAtMs }) => owner === undefined || expiresAtMs <= view.nowMs,
  );
  // Members start at different shards, so two of them rarely want the same one.
  const start = (view.members.indexOf(member) * view.leases.length) / Math.max(1, view.members.length);
  const distance = (shard: number): number =>
    (shard - Math.floor(start) + view.leases.length) % view.leases.length;
  const wanted = free
    .filter(({ shard }) => !holds.includes(shard))
    .sort((a, b) => distance(a.shard) - distance(b.shard));
  return {
    take: wanted.slice(0, due - holds.length).map(({ shard, token }) => ({ shard, token })),
    giveBack: [],
  };
};

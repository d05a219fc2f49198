import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LeaseView } from '../ports/lease-store.port.ts';
import { fairShare, planLeases } from './share.ts';

type Holder = { readonly owner: string | undefined; readonly token: number };
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `m${i}`);
const viewOf = (members: readonly string[], shards: readonly Holder[]): LeaseView => ({
  nowMs: 1_000,
  members,
  leases: shards.map(({ owner, token }, shard) => ({
    shard,
    token,
    owner,
    expiresAtMs: owner === undefined ? 0 : 2_000,
  })),
});
const holdsOf = (shards: readonly Holder[], member: string): number[] =>
  shards.flatMap(({ owner }, shard) => (owner === member ? [shard] : []));
/** What the store does with plans made on one view: first come, first served, by token. */
const apply = (shards: Holder[], member: string, { take, giveBack }: ReturnType<typeof planLeases>): void => {
  for (const shard of giveBack) shards[shard] = { owner: undefined, token: shards[shard]!.token };
  for (const { shard, token } of take)
    if (shards[shard]!.token === token && shards[shard]!.owner === undefined)
      shards[shard] = { owner: member, token: token + 1 };
};

const world = fc.record({ members: fc.integer({ min: 1, max: 6 }), shards: fc.integer({ min: 1, max: 20 }) });

test('[B9] fair shares add up to all shards and differ by at most one', () => {
  fc.assert(
    fc.property(world, ({ members, shards }) => {
      const shares = names(members).map((name) => fairShare(names(members), name, shards));
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(shards);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      expect(fairShare(names(members), 'stranger', shards)).toBe(0);
    }),
    { numRuns: 500 },
  );
});

test('[B9] plans on one view never take a shard twice, and in the end every member has a fair share', () => {
  const owners = fc.array(fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }), {
    minLength: 20,
    maxLength: 20,
  });
  fc.assert(
    fc.property(world, owners, ({ members, shards: count }, drawn) => {
      const all = names(members);
      const shards: Holder[] = drawn
        .slice(0, count)
        .map((at) => ({ owner: at === undefined ? undefined : all[at % members], token: 3 }));
      // The first member gets what it wants, so in every round one member is nearer to its share.
      for (let round = 0; round < count + 2; round++) {
        const view = viewOf(all, shards);
        const plans = all.map(
          (member) => [member, planLeases(view, member, holdsOf(shards, member))] as const,
        );
        for (const [member, plan] of plans) {
          expect(plan.take.every(({ shard }) => shards[shard]!.token >= view.leases[shard]!.token)).toBe(
            true,
          );
          expect(plan.giveBack.every((shard) => view.leases[shard]!.owner === member)).toBe(true);
          apply(shards, member, plan);
        }
      }
      const settled = all.map((member) => holdsOf(shards, member).length);
      expect(settled).toEqual(all.map((member) => fairShare(all, member, count)));
    }),
    { numRuns: 1_000 },
  );
});

test('[B9] a member with its fair share takes nothing; an expired lease is free, a live one is not', () => {
  const shards = [
    { owner: 'm0', token: 1 },
    { owner: 'm1', token: 1 },
  ];
  expect(planLeases(viewOf(['m0', 'm1'], shards), 'm0', [0])).toEqual({ take: [], giveBack: [] });
  expect(planLeases(viewOf(['m0'], shards), 'm0', [0])).toEqual({ take: [], giveBack: [] });
  const later = { ...viewOf(['m0'], shards), nowMs: 2_000 };
  expect(planLeases(later, 'm0', [0])).toEqual({ take: [{ shard: 1, token: 1 }], giveBack: [] });
});

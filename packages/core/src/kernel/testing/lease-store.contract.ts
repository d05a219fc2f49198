import { randomUUID } from 'node:crypto';
import { setTimeout as realSleep } from 'node:timers/promises';
import { err } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LeaseStore, ShardToken } from '../ports/lease-store.port.ts';

export type LeaseStoreHarness = {
  readonly open: () => Promise<{ readonly store: LeaseStore; readonly close: () => Promise<void> }>;
};

export const leaseStoreContract = (backend: string, { open }: LeaseStoreHarness): void => {
  describe(`LeaseStore contract: ${backend}`, () => {
    let store: LeaseStore, close: () => Promise<void>;
    beforeAll(async () => ({ store, close } = await open()));
    afterAll(() => close());

    const set = (): string => `set-${randomUUID()}`;
    const beat = async (name: string, member: string, { shards = 4, leaseMs = 60_000 } = {}) =>
      (await store.beat({ set: name, shards, member, leaseMs }))._unsafeUnwrap();
    const take = async (name: string, member: string, wanted: readonly ShardToken[], leaseMs = 60_000) =>
      (await store.take({ set: name, member, leaseMs, wanted }))._unsafeUnwrap();
    const tokenOf = async (name: string, shard: number): Promise<number> =>
      (await beat(name, 'observer')).leases[shard]!.token;

    test('[B9] the first heartbeat creates the set, with free shards that never had an owner', async () => {
      const name = set();
      const view = await beat(name, 'a');
      expect(view.members).toEqual(['a']);
      expect(view.leases.map(({ shard, token, owner }) => ({ shard, token, owner }))).toEqual(
        [0, 1, 2, 3].map((shard) => ({ shard, token: 0, owner: undefined })),
      );
    });
    test('[B9] another number of shards is refused and changes nothing', async () => {
      const name = set();
      await beat(name, 'a');
      expect(await store.beat({ set: name, shards: 5, member: 'b', leaseMs: 1_000 })).toEqual(
        err({ kind: 'ShardsMismatch', set: name, shards: 4, configured: 5 }),
      );
      expect((await beat(name, 'a')).members).toEqual(['a']);
    });
    test('[B9] one of ten concurrent takers gets a shard', async () => {
      const name = set();
      await beat(name, 'a');
      const taken = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          store.take({ set: name, member: `m${i}`, leaseMs: 60_000, wanted: [{ shard: 2, token: 0 }] }),
        ),
      );
      const won = taken.filter((outcome) => outcome.isOk() && outcome.value.length === 1);
      expect(won).toHaveLength(1);
      expect((await beat(name, 'a')).leases[2]!.token).toBe(1);
    });
    test('[B9] a live lease is not taken, a released one is, and the token grows', async () => {
      const name = set();
      await beat(name, 'a');
      expect(await take(name, 'a', [{ shard: 0, token: 0 }])).toEqual([{ shard: 0, token: 1 }]);
      expect(await take(name, 'b', [{ shard: 0, token: 1 }])).toEqual([]);
      await store.release({ set: name, member: 'a', held: [{ shard: 0, token: 1 }] });
      expect(await take(name, 'b', [{ shard: 0, token: 1 }])).toEqual([{ shard: 0, token: 2 }]);
    });
    test('[B9] a take with a stale token takes nothing', async () => {
      const name = set();
      await beat(name, 'a');
      await take(name, 'a', [{ shard: 0, token: 0 }]);
      await store.release({ set: name, member: 'a', held: [{ shard: 0, token: 1 }] });
      expect(await take(name, 'b', [{ shard: 0, token: 0 }])).toEqual([]);
    });
    test('[B9] `release` frees only shards held under exactly that token', async () => {
      const name = set();
      await beat(name, 'a');
      await take(name, 'a', [{ shard: 0, token: 0 }]);
      await store.release({ set: name, member: 'b', held: [{ shard: 0, token: 1 }] });
      await store.release({ set: name, member: 'a', held: [{ shard: 0, token: 7 }] });
      expect((await beat(name, 'b')).leases[0]!.owner).toBe('a');
    });
    test('[B9] an expired lease can be taken and is not extended by a late heartbeat of its old owner', async () => {
      const name = set();
      await beat(name, 'slow', { leaseMs: 150 });
      await take(name, 'slow', [{ shard: 1, token: 0 }], 150);
      await realSleep(300);
      const late = await beat(name, 'slow', { leaseMs: 60_000 });
      expect(late.leases[1]!.expiresAtMs).toBeLessThanOrEqual(late.nowMs);
      expect(await take(name, 'quick', [{ shard: 1, token: 1 }])).toEqual([{ shard: 1, token: 2 }]);
      expect((await beat(name, 'slow')).leases[1]!.owner).toBe('quick');
    });
    test('[B9] a heartbeat extends the leases of the member', async () => {
      const name = set();
      await beat(name, 'a', { leaseMs: 400 });
      await take(name, 'a', [{ shard: 1, token: 0 }], 400);
      for (let i = 0; i < 4; i++) {
        await realSleep(150);
        await beat(name, 'a', { leaseMs: 400 });
      }
      expect(await take(name, 'b', [{ shard: 1, token: 1 }])).toEqual([]);
    });
    test('[B9] a member without heartbeats disappears from the view', async () => {
      const name = set();
      await beat(name, 'gone', { leaseMs: 100 });
      await realSleep(200);
      expect((await beat(name, 'here')).members).toEqual(['here']);
    });
    test('[B9] `leave` frees all shards at once and keeps their tokens', async () => {
      const name = set();
      await beat(name, 'a');
      await take(name, 'a', [
        { shard: 0, token: 0 },
        { shard: 3, token: 0 },
      ]);
      await store.leave({ set: name, member: 'a' });
      const view = await beat(name, 'b');
      expect(view.members).toEqual(['b']);
      expect(view.leases.every(({ owner }) => owner === undefined)).toBe(true);
      expect(await tokenOf(name, 3)).toBe(1);
    });
    test('[B9] operators see every set', async () => {
      const name = set();
      await beat(name, 'a');
      await take(name, 'a', [{ shard: 0, token: 0 }]);
      const found = (await store.list())._unsafeUnwrap().find((one) => one.set === name);
      expect(found?.view.leases[0]).toMatchObject({ owner: 'a', token: 1 });
    });
  });
};

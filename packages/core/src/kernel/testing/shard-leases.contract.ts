import { randomUUID } from 'node:crypto';
import { err } from 'neverthrow';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Holding, Lease, LeaseTimes, ShardLeases } from '../leases/lease.ts';
import { eventually } from './eventually.ts';

export type ShardLeasesHarness = {
  /** A member's own view of one shared database. After `crash` it reaches the database no more and hands nothing over. */
  readonly open: (times: LeaseTimes) => Promise<{
    readonly leases: ShardLeases;
    readonly crash: () => Promise<void>;
    readonly close: () => Promise<void>;
  }>;
};

const TIMES: LeaseTimes = { leaseMs: 1_200, beatMs: 100, drainMs: 2_000 };
const untilAborted = (_lease: Lease, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

export const shardLeasesContract = (backend: string, { open }: ShardLeasesHarness): void => {
  describe(`ShardLeases contract: ${backend}`, () => {
    const join = async (
      set: string,
      options: { shards?: number; work?: typeof untilAborted; times?: Partial<LeaseTimes> } = {},
    ) => {
      const { leases, crash, close } = await open({ ...TIMES, ...options.times });
      const holding = leases.hold({ set, shards: options.shards ?? 6, work: options.work ?? untilAborted });
      onTestFinished(async () => {
        await holding.stop({ drainMs: 100 });
        await close();
      });
      return { holding, crash };
    };
    const counts = (...holdings: readonly Holding[]): number[] =>
      holdings.map((holding) => holding.held().length);

    test('[B9] shards are spread evenly over the live members, none twice', async () => {
      const set = randomUUID();
      const a = await join(set);
      const b = await join(set);
      const c = await join(set);
      const d = await join(set);
      await eventually(() =>
        expect(counts(a.holding, b.holding, c.holding, d.holding).sort()).toEqual([1, 1, 2, 2]),
      );
      const shards = [a, b, c, d].flatMap(({ holding }) => holding.held().map(({ shard }) => shard));
      expect(shards.sort()).toEqual([0, 1, 2, 3, 4, 5]);
    });
    test('[B9] a graceful stop hands over at once, with higher tokens', async () => {
      const set = randomUUID();
      const long = { leaseMs: 60_000 };
      const a = await join(set, { times: long });
      const b = await join(set, { times: long });
      await eventually(() => expect(counts(a.holding, b.holding)).toEqual([3, 3]));
      const before = new Map(a.holding.held().map(({ shard, token }) => [shard, token]));
      await a.holding.stop();
      await eventually(() => expect(b.holding.held()).toHaveLength(6), { withinMs: 5_000 });
      for (const { shard, token } of b.holding.held()) expect(token).toBeGreaterThan(before.get(shard) ?? 0);
    });
    test('[B9] a crashed member is replaced within the lease time, and its own work is aborted', async () => {
      const set = randomUUID();
      const aborts: unknown[] = [];
      const a = await join(set, {
        work: (lease, signal) => untilAborted(lease, signal).then(() => void aborts.push(signal.reason)),
      });
      await eventually(() => expect(a.holding.held()).toHaveLength(6));
      const tokens = new Map(a.holding.held().map(({ shard, token }) => [shard, token]));
      await a.crash();
      const b = await join(set);
      await eventually(() => expect(b.holding.held()).toHaveLength(6), { withinMs: 8_000 });
      for (const { shard, token } of b.holding.held()) expect(token).toBeGreaterThan(tokens.get(shard)!);
      await eventually(() => expect(aborts).toEqual(Array.from({ length: 6 }, () => 'lost')));
    });
    test('[B9] a hand-over waits for running work', async () => {
      const set = randomUUID();
      let finished = 0;
      const slow = async (lease: Lease, signal: AbortSignal): Promise<void> => {
        await untilAborted(lease, signal);
        await new Promise((resolve) => setTimeout(resolve, 300));
        finished++;
      };
      const a = await join(set, { shards: 2, work: slow });
      await eventually(() => expect(a.holding.held()).toHaveLength(2));
      await a.holding.stop();
      expect(finished).toBe(2);
      expect(a.holding.held()).toEqual([]);
    });
    test('[B9] another number of shards ends the holding with `ShardsMismatch`', async () => {
      const set = randomUUID();
      const a = await join(set, { shards: 4 });
      await eventually(() => expect(a.holding.held()).toHaveLength(4));
      const b = await join(set, { shards: 8 });
      expect(await b.holding.ended).toEqual(err({ kind: 'ShardsMismatch', set, shards: 4, configured: 8 }));
    });
    test('[B9] work that throws ends the holding with an error and frees its shards', async () => {
      const set = randomUUID();
      const broken = await join(set, {
        shards: 2,
        work: ({ shard }, signal) =>
          shard === 0 ? Promise.reject(new Error('bug')) : untilAborted({ set, shard, token: 0 }, signal),
      });
      await expect(broken.holding.ended).rejects.toThrow('bug');
      const next = await join(set, { shards: 2 });
      await eventually(() => expect(next.holding.held()).toHaveLength(2), { withinMs: 5_000 });
    });
  });
};

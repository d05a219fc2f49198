import { err, ok, type Result } from 'neverthrow';
import { limitRepeats } from '../limit-repeats.ts';
import { sleep, type Clock } from '../ports/clock.port.ts';
import type { LeaseStore, LeaseView, ShardsMismatch } from '../ports/lease-store.port.ts';
import type { Logger } from '../ports/telemetry.port.ts';
import { planLeases } from './share.ts';
import type { HoldOptions, Holding, Lease, LeaseAbort, LeaseTimes } from './lease.ts';

type Needs = {
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly member: string;
  readonly logger: Logger;
  readonly times: LeaseTimes;
};
type Owned = {
  readonly lease: Lease;
  readonly abort: AbortController;
  readonly lost: AbortController;
  readonly done: Promise<void>;
};

/** One member of a set. It sends heartbeats, takes its fair share of shards, returns the surplus and drops lost shards. */
export const holdShards = (
  { store, clock, member, logger, times }: Needs,
  { set, shards, work }: HoldOptions,
): Holding => {
  const failures = limitRepeats(logger, clock);
  const owned = new Map<number, Owned>();
  /** Lost shards whose work is still running. The work of a shard must not run twice in one process. */
  const lingering = new Set<number>();
  const stopping = new AbortController();
  let { drainMs } = times;
  let bug: { readonly thrown: unknown } | undefined;
  let cancelExpiry = (): void => {};
  /** When our leases expire if no further heartbeat succeeds, by our own clock. */
  let freshUntilMs = 0;

  const begin = (lease: Lease): void => {
    const abort = new AbortController();
    const lost = new AbortController();
    const early = (): void => {
      if (!abort.signal.aborted)
        throw new Error(`the work on ${set}/${lease.shard} ended before its signal aborted`);
    };
    const crashed = (thrown: unknown): void => {
      bug ??= { thrown };
      stopping.abort();
    };
    const isHeld = (): boolean => !lost.signal.aborted && clock.nowMs() < freshUntilMs;
    const done = work({ ...lease, isHeld }, abort.signal, lost.signal)
      .then(early)
      .catch(crashed);
    owned.set(lease.shard, { lease, abort, lost, done });
  };
  const lose = (shard: number, why: string): void => {
    const own = owned.get(shard);
    if (!own) return;
    logger.warn('lease lost', { shard, token: own.lease.token, why });
    owned.delete(shard);
    lingering.add(shard);
    void own.done.finally(() => lingering.delete(shard));
    own.lost.abort();
    own.abort.abort('lost' satisfies LeaseAbort);
  };
  const handOver = async (given: readonly Owned[]): Promise<void> => {
    given.forEach(({ abort }) => abort.abort('handover' satisfies LeaseAbort));
    await Promise.all(
      given.map(async (own) => {
        await own.done;
        if (owned.get(own.lease.shard) !== own) return; // lost meanwhile
        owned.delete(own.lease.shard);
        await store.release({ set, member, held: [own.lease] });
      }),
    );
  };

  /** Drops the shards that the database has given to other members. */
  const reconcile = (view: LeaseView): void => {
    const rows = new Map(view.leases.map((row) => [row.shard, row]));
    for (const [shard, { lease }] of [...owned]) {
      const row = rows.get(shard);
      if (row?.owner !== member || row.token !== lease.token) lose(shard, 'another member has it');
    }
  };
  /**
   * Releases shards that the database assigns to us but we do not work on: the answer of a take or a release was lost, or
   * we gave up too early. Without this, our heartbeats would keep these shards from all members.
   */
  const releaseStrays = async (view: LeaseView): Promise<void> => {
    const held = view.leases.filter(
      ({ shard, owner, token }) => owner === member && owned.get(shard)?.lease.token !== token,
    );
    if (held.length > 0) await store.release({ set, member, held });
  };
  const beat = async (): Promise<Result<LeaseView | undefined, ShardsMismatch>> => {
    const askedAtMs = clock.nowMs();
    const seen = await store.beat({ set, shards, member, leaseMs: times.leaseMs });
    if (seen.isErr()) {
      if (seen.error.kind === 'ShardsMismatch') return err(seen.error);
      failures.warn('lease heartbeat failed', { error: seen.error });
      return ok(undefined);
    }
    cancelExpiry();
    // Counted from before the request, so our deadline is never later than the database's.
    freshUntilMs = askedAtMs + times.leaseMs;
    const leftMs = Math.min(times.leaseMs, Math.max(0, freshUntilMs - clock.nowMs()));
    cancelExpiry = clock.after(leftMs, () => {
      for (const shard of [...owned.keys()]) lose(shard, 'no heartbeat went through in time');
    });
    reconcile(seen.value);
    return ok(seen.value);
  };
  const rebalance = async (view: LeaseView): Promise<void> => {
    const settled = [...owned.values()].filter(({ abort }) => !abort.signal.aborted);
    const plan = planLeases(
      view,
      member,
      settled.map(({ lease }) => lease.shard),
    );
    void handOver(settled.filter(({ lease }) => plan.giveBack.includes(lease.shard)));
    const wanted = plan.take.filter(({ shard }) => !owned.has(shard) && !lingering.has(shard));
    if (wanted.length === 0 || stopping.signal.aborted) return;
    const taken = await store.take({ set, member, leaseMs: times.leaseMs, wanted });
    if (taken.isErr()) failures.warn('shards could not be taken', { error: taken.error });
    // If the answer comes after our deadline, no work starts: nothing would end it.
    if (taken.isOk() && clock.nowMs() < freshUntilMs)
      taken.value.forEach(({ shard, token }) => begin({ set, shard, token }));
  };

  const untilStopped = async (): Promise<Result<void, ShardsMismatch>> => {
    while (!stopping.signal.aborted) {
      const view = await beat();
      if (view.isErr()) return err(view.error);
      if (view.value) await releaseStrays(view.value);
      if (view.value && !stopping.signal.aborted) await rebalance(view.value);
      await sleep(clock, times.beatMs, stopping.signal);
    }
    return ok(undefined);
  };
  /** Heartbeats continue while the work drains, because a member owns a shard until its work has ended. */
  const drain = async (): Promise<void> => {
    const over = new AbortController();
    const drained = handOver([...owned.values()]).then(() => over.abort());
    const beating = (async () => {
      for (;;) {
        await sleep(clock, times.beatMs, over.signal);
        if (over.signal.aborted) return;
        await beat();
      }
    })();
    await sleep(clock, drainMs, over.signal);
    over.abort();
    for (const shard of [...owned.keys()]) lose(shard, 'the work did not end within the drain time');
    await beating; // a heartbeat after `leave` would add the member again
    cancelExpiry();
    void drained;
  };

  const run = async (): Promise<Result<void, ShardsMismatch>> => {
    const outcome = await untilStopped();
    await drain();
    await store.leave({ set, member });
    if (bug) throw bug.thrown;
    return outcome;
  };
  const ended = run();
  ended.catch(() => {}); // callers see the error through `ended`; unhandled, it must not end the process
  return {
    member,
    ended,
    held: () => [...owned.values()].map(({ lease }) => lease),
    stop: async (options) => {
      drainMs = options?.drainMs ?? drainMs;
      stopping.abort();
      await ended.catch(() => {});
    },
  };
};

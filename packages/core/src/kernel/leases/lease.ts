import type { Result } from 'neverthrow';
import type { ShardsMismatch } from '../ports/lease-store.port.ts';

/** `token` fences every effect of the owner: stores that are given it refuse a lower one ever after. */
export type Lease = { readonly set: string; readonly shard: number; readonly token: number };

/** `handover`: finish what was begun, the lease is kept meanwhile. `lost`: somebody else may own the shard already. */
export type LeaseAbort = 'handover' | 'lost';

/**
 * Work on one shard, for as long as it is held. It goes on until `signal` aborts (the reason is a `LeaseAbort`) and
 * then finishes what it has begun: the lease is handed over when the promise settles. `lost` aborts when the lease is
 * lost, also in the middle of a hand-over, when `signal` has nothing more to say.
 */
export type ShardWork = (lease: Lease, signal: AbortSignal, lost: AbortSignal) => Promise<void>;

export type HoldOptions = { readonly set: string; readonly shards: number; readonly work: ShardWork };
export interface Holding {
  readonly member: string;
  /** What is held right now. */
  held(): readonly Lease[];
  /** Settles when the holding is over: after `stop`, or because the set has another number of shards. Rejects if `work` threw. */
  readonly ended: Promise<Result<void, ShardsMismatch>>;
  /** Lets the work finish for at most `drainMs`, then gives everything back at once. */
  stop(options?: { readonly drainMs?: number }): Promise<void>;
}

/** A named set of shards spread evenly over the live members: on a graceful stop handed over at once, after a crash within the lease time. */
export interface ShardLeases {
  hold(options: HoldOptions): Holding;
}

export type LeaseTimes = { readonly leaseMs: number; readonly beatMs: number; readonly drainMs: number };
export const defaultLeaseTimes: LeaseTimes = { leaseMs: 5_000, beatMs: 1_000, drainMs: 10_000 };

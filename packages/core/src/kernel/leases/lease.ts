import type { Result } from 'neverthrow';
import type { ShardsMismatch } from '../ports/lease-store.port.ts';

/** `token` fences the owner's effects: a store that has seen a token refuses every lower one. */
export type Lease = { readonly set: string; readonly shard: number; readonly token: number };

/**
 * A lease as its work sees it. `isHeld` compares the lease's deadline with the clock, so it is false after a pause of the
 * process although no timer had time to fire. Ask it right before an effect that no fence can refuse.
 */
export type HeldLease = Lease & { readonly isHeld: () => boolean };

/** `handover`: finish the running work, the lease is kept until then. `lost`: another member may own the shard already. */
export type LeaseAbort = 'handover' | 'lost';

/**
 * The work on one shard while the member holds it. It runs until `signal` aborts with a `LeaseAbort` as its reason, and then
 * finishes what it has started. The lease is handed over when the promise settles. `lost` aborts when the lease is lost,
 * also during a hand-over, when `signal` has already aborted.
 */
export type ShardWork = (lease: HeldLease, signal: AbortSignal, lost: AbortSignal) => Promise<void>;

export type HoldOptions = { readonly set: string; readonly shards: number; readonly work: ShardWork };
export interface Holding {
  readonly member: string;
  /** The leases that the member holds now. */
  held(): readonly Lease[];
  /** Settles after `stop`, or when the set has another number of shards. Rejects if `work` throws. */
  readonly ended: Promise<Result<void, ShardsMismatch>>;
  /** Waits at most `drainMs` for the work, then releases all shards. */
  stop(options?: { readonly drainMs?: number }): Promise<void>;
}

/** Spreads a named set of shards evenly over the live members. A graceful stop hands shards over at once, a crash within the lease time. */
export interface ShardLeases {
  hold(options: HoldOptions): Holding;
}

export type LeaseTimes = { readonly leaseMs: number; readonly beatMs: number; readonly drainMs: number };
export const defaultLeaseTimes: LeaseTimes = { leaseMs: 5_000, beatMs: 1_000, drainMs: 10_000 };

import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../errors.ts';

/** `token` grows with every change of owner and never falls. 0 means that the shard never had an owner. */
export type LeaseRow = {
  readonly shard: number;
  readonly token: number;
  readonly owner: string | undefined;
  readonly expiresAtMs: number;
};
/** One set of shards at `nowMs` of the database's clock. `members` are the live members, sorted. */
export type LeaseView = {
  readonly nowMs: number;
  readonly members: readonly string[];
  readonly leases: readonly LeaseRow[];
};
export type ShardToken = { readonly shard: number; readonly token: number };
/** The set exists with another number of shards. Routing depends on that number, so it must not change by accident. */
export type ShardsMismatch = {
  readonly kind: 'ShardsMismatch';
  readonly set: string;
  readonly shards: number;
  readonly configured: number;
};

/** Leases as rows. Each method is one atomic step. Only the database's clock decides what has expired. */
export interface LeaseStore {
  /**
   * Heartbeat: extends the member and the leases it holds to now + `leaseMs`. Expired leases are not extended.
   * The first heartbeat of a set fixes its number of shards.
   */
  beat(beat: {
    readonly set: string;
    readonly shards: number;
    readonly member: string;
    readonly leaseMs: number;
  }): ResultAsync<LeaseView, ShardsMismatch | Unavailable>;
  /**
   * Takes each wanted shard that is free or expired and still has the given token. Returns the taken shards with their
   * new, higher tokens. Of two members that want the same shard at most one gets it.
   */
  take(take: {
    readonly set: string;
    readonly member: string;
    readonly leaseMs: number;
    readonly wanted: readonly ShardToken[];
  }): ResultAsync<readonly ShardToken[], Unavailable>;
  /** Frees the shards that `member` holds under exactly these tokens. Other shards do not change. */
  release(release: {
    readonly set: string;
    readonly member: string;
    readonly held: readonly ShardToken[];
  }): ResultAsync<void, Unavailable>;
  /** Removes the member from the set and frees all its shards. */
  leave(leave: { readonly set: string; readonly member: string }): ResultAsync<void, Unavailable>;
  /** Lists every set, for operators. */
  list(): ResultAsync<readonly { readonly set: string; readonly view: LeaseView }[], Unavailable>;
}

import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../errors.ts';

/** `token` grows with every change of owner, for ever; 0 = nobody has ever owned the shard. */
export type LeaseRow = {
  readonly shard: number;
  readonly token: number;
  readonly owner: string | undefined;
  readonly expiresAtMs: number;
};
/** One set of shards as its database sees it at `nowMs` (the database's clock). `members` are those alive, sorted. */
export type LeaseView = {
  readonly nowMs: number;
  readonly members: readonly string[];
  readonly leases: readonly LeaseRow[];
};
export type ShardToken = { readonly shard: number; readonly token: number };
/** The set exists with another number of shards: routing depends on it, so nobody may change it by accident. */
export type ShardsMismatch = {
  readonly kind: 'ShardsMismatch';
  readonly set: string;
  readonly shards: number;
  readonly configured: number;
};

/** Leases as rows: each method is one atomic step, and only the database's clock judges what has expired. */
export interface LeaseStore {
  /**
   * Says that `member` lives: it and the leases it still holds are extended to now + `leaseMs`; expired ones are not.
   * The first beat of a set settles its number of shards.
   */
  beat(beat: {
    readonly set: string;
    readonly shards: number;
    readonly member: string;
    readonly leaseMs: number;
  }): ResultAsync<LeaseView, ShardsMismatch | Unavailable>;
  /**
   * Takes those of `wanted` that are free or expired and whose token is still the one given; answers what was taken,
   * with its new, higher token. Two members that want one shard never both get it.
   */
  take(take: {
    readonly set: string;
    readonly member: string;
    readonly leaseMs: number;
    readonly wanted: readonly ShardToken[];
  }): ResultAsync<readonly ShardToken[], Unavailable>;
  /** Frees what `member` still holds under these very tokens; anything else is left alone. */
  release(release: {
    readonly set: string;
    readonly member: string;
    readonly held: readonly ShardToken[];
  }): ResultAsync<void, Unavailable>;
  /** Forgets the member and frees all it holds in the set. */
  leave(leave: { readonly set: string; readonly member: string }): ResultAsync<void, Unavailable>;
  /** Every set, for operators. */
  list(): ResultAsync<readonly { readonly set: string; readonly view: LeaseView }[], Unavailable>;
}

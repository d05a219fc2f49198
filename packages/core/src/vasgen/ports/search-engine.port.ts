import type { ResultAsync } from 'neverthrow';
import type { Brand, InvalidInput, Position, Unavailable, Violation } from '../../kernel/index.ts';
import type { PlanInvalid } from '../domain/check-plan.ts';
import type { IndexChange } from '../domain/index-change.ts';
import type { IndexSchema } from '../domain/index-schema.ts';
import type { QueryAnswer, QueryPlan } from '../domain/query-plan.ts';

/** The name of one index: lower case letters, digits, `-`, `_`, at most 100; begins with a letter. */
export type IndexName = Brand<string, 'IndexName'>;
/** A name that queries go by; which index answers is settled by `serve`. */
export type ServingName = Brand<string, 'ServingName'>;
export type Where = { readonly index: IndexName } | { readonly serving: ServingName };

/** An index is of one epoch: changes of another are invalid here, so no epoch makes another's documents stale. */
export type IndexSpec = { readonly name: IndexName; readonly epoch: number; readonly schema: IndexSchema };

export type UnknownIndex = { readonly kind: 'UnknownIndex'; readonly name: string };
export type IndexExists = { readonly kind: 'IndexExists'; readonly name: IndexName };
/** The serving name points to `actual`, not to what the caller believed; nothing was switched. */
export type ServingMoved = {
  readonly kind: 'ServingMoved';
  readonly serving: ServingName;
  readonly actual?: IndexName;
};
export type IndexServes = {
  readonly kind: 'IndexServes';
  readonly name: IndexName;
  readonly serving: ServingName;
};

export type ApplyVerdict =
  | { readonly kind: 'applied' }
  /** The index holds the same or a fresher place of this document. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'invalid'; readonly violations: readonly Violation[] };

/** Where the feeder of an index stands. Kept with the changes: what a durable engine reopens includes all before it. */
export type FeedProgress = {
  /** The next record of each partition; a partition that is left out keeps what was known. */
  readonly positions?: readonly Position[];
  /** True once everything that was in the log has been applied. */
  readonly caughtUp?: boolean;
};

export type IndexInfo = {
  readonly name: IndexName;
  readonly epoch: number;
  readonly schema: IndexSchema;
  readonly serving: readonly ServingName[];
  readonly documents: number;
  readonly tombstones: number;
  /** What the index takes in memory or on its server's disk, divided by the documents; an estimate. */
  readonly bytes: number;
  readonly bytesPerDocument: number;
  readonly positions: readonly Position[];
  readonly caughtUp: boolean;
};

/** Indexes that live side by side, each of one epoch, and names that queries go by. */
export interface SearchEngine {
  /** Makes an empty index. The same spec again is no error; another one under the same name is. */
  create(spec: IndexSpec): ResultAsync<void, IndexExists | InvalidInput | Unavailable>;
  /** Frees the index with all it holds. One that serves can't be dropped; one that is not there is no error. */
  drop(name: IndexName): ResultAsync<void, IndexServes | Unavailable>;
  /**
   * From now on queries to `serving` are answered by `to`, and never by both: atomic, and a compare-and-set when
   * `from` is given (null: the name served nothing). Going back is another call.
   */
  serve(
    serving: ServingName,
    to: IndexName,
    options?: { readonly from?: IndexName | null },
  ): ResultAsync<void, UnknownIndex | ServingMoved | Unavailable>;
  indexes(): ResultAsync<readonly IndexInfo[], Unavailable>;
  /**
   * One verdict for each change, in order; a change that is invalid does not keep the others out. Freshness decides:
   * any order and repetition of a history ends in its greatest place. Tombstones are kept for the horizon.
   * Visible to queries after the next `flush` at the latest.
   */
  apply(
    index: IndexName,
    changes: readonly IndexChange[],
    progress?: FeedProgress,
  ): ResultAsync<readonly ApplyVerdict[], UnknownIndex | Unavailable>;
  /** What was applied before is visible afterwards. */
  flush(index: IndexName): ResultAsync<void, UnknownIndex | Unavailable>;
  /** Sees one state of one index. Bounds of time and memory cut the answer, and the answer says so. */
  execute(where: Where, plan: QueryPlan): ResultAsync<QueryAnswer, UnknownIndex | PlanInvalid | Unavailable>;
  /** Closing twice is closing once. */
  close(): Promise<void>;
}

const NAME = /^[a-z][a-z0-9_-]{0,99}$/;
export const indexName = (text: string): IndexName | undefined =>
  NAME.test(text) ? (text as IndexName) : undefined;
export const servingName = (text: string): ServingName | undefined =>
  NAME.test(text) ? (text as ServingName) : undefined;

import type { ResultAsync } from 'neverthrow';
import type { InvalidInput, Position, Unavailable, Violation } from '../../kernel/index.ts';
import type { PlanInvalid } from './check-plan.ts';
import type { Explanation } from './explanation.ts';
import type { DigestOver, PartDigest } from '../document/digest.ts';
import type { Freshness } from '../document/freshness.ts';
import type { IndexChange } from './index-change.ts';
import type { IndexName, ServingName } from './index-name.ts';
import type { IndexSchema } from './index-schema.ts';
import type { QueryAnswer, QueryPlan } from './query-plan.ts';
import type { SchemaConflict } from './schema-growth.ts';

export type Where = { readonly index: IndexName } | { readonly serving: ServingName };

/** An index is of one epoch: changes of another are invalid here, so no epoch makes another's documents stale. */
export type IndexSpec = { readonly name: IndexName; readonly epoch: number; readonly schema: IndexSchema };

export type UnknownIndex = { readonly kind: 'UnknownIndex'; readonly name: string };
/**
 * Another analyzer built the index, so its words are not those that a query would look for. It is kept as it is and
 * answers nothing: the documents of a new epoch fill an index of the present analyzer, then this one is dropped.
 */
export type OtherAnalyzer = {
  readonly kind: 'OtherAnalyzer';
  readonly name: IndexName;
  readonly built: string;
  readonly present: string;
};
export type NoIndex = UnknownIndex | OtherAnalyzer;
export type IndexExists = { readonly kind: 'IndexExists'; readonly name: IndexName };
/** The serving name points to `actual`, not to what the caller believed; nothing was switched. */
export type ServingMoved = {
  readonly kind: 'ServingMoved';
  readonly serving: ServingName;
  readonly actual?: IndexName;
};
/** Another rebuild has begun since, or has not begun yet; nothing was changed. */
export type RebuildMoved = {
  readonly kind: 'RebuildMoved';
  readonly name: IndexName;
  readonly rebuild: number;
  readonly present: number;
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

/** How far an index has read its topic. A durable engine stores it with the changes: a reopened index holds all changes before it. */
export type FeedProgress = {
  /** The next record of each partition; a partition that is left out keeps what was known. */
  readonly positions?: readonly Position[];
  /** True once everything that was in the log has been applied. */
  readonly caughtUp?: boolean;
};

/** What an index knows of a document. A tombstone is the memory of a delete. */
export type SeenDocument =
  | { readonly pk: string; readonly state: 'alive' | 'tombstone'; readonly freshness: Freshness }
  | { readonly pk: string; readonly state: 'unknown' };
export type DocumentPlace = { readonly pk: string; readonly freshness: Freshness };

/** The hash space is cut into `parts` ranges; 1 to `DIGEST_PARTS_MAX`. */
export type DigestPlan = { readonly parts: number; readonly over: DigestOver };
/** The living documents of one part by pk, those behind `after`; at most `PLACES_MAX`. */
export type PlacesPlan = {
  readonly part: number;
  readonly parts: number;
  readonly after?: string;
  readonly limit: number;
};

/** Words in their order, those behind `after`; at most `WORDS_MAX`. */
export type WordsPlan = {
  /** Only words that begin with this; folded like every word. */
  readonly prefix?: string;
  readonly after?: string;
  readonly limit: number;
};
/** `documents`: how many living documents hold the word, in any of its forms. */
export type IndexWord = { readonly word: string; readonly documents: number };

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
  /** The number of the last rebuild that was begun. */
  readonly rebuild: number;
};

/** Several indexes, each of one epoch, and the names that queries use. */
export interface SearchEngine {
  /**
   * Makes an empty index. One of this name and epoch that has all these fields is no error, so an index that has grown
   * since is none either; another one under the same name is.
   */
  create(spec: IndexSpec): ResultAsync<void, IndexExists | OtherAnalyzer | InvalidInput | Unavailable>;
  /**
   * Adds fields to a living index; documents that are there have no value in them. Fields are never taken away and
   * never change their type. Fields that are there already are no error. It lasts like a change that is applied.
   */
  extend(
    index: IndexName,
    schema: IndexSchema,
  ): ResultAsync<void, NoIndex | SchemaConflict | InvalidInput | Unavailable>;
  /** Deletes an index. A serving index can't be dropped; a missing one is no error. */
  drop(name: IndexName): ResultAsync<void, IndexServes | Unavailable>;
  /**
   * From now on queries to `serving` are answered by `to`, and never by both: atomic, and a compare-and-set when
   * `from` is given (null: the name served nothing). Going back is another call.
   */
  serve(
    serving: ServingName,
    to: IndexName,
    options?: { readonly from?: IndexName | null },
  ): ResultAsync<void, NoIndex | ServingMoved | Unavailable>;
  indexes(): ResultAsync<readonly IndexInfo[], Unavailable>;
  /**
   * One verdict for each change, in order; a change that is invalid does not keep the others out. Freshness decides:
   * any order and repetition of a history ends in its greatest place. Tombstones are kept for the horizon, counted
   * from when they were written here. The progress is noted only where no change was invalid: an index never stands
   * behind a change that it refused. Visible to queries after the next `flush` at the latest.
   */
  apply(
    index: IndexName,
    changes: readonly IndexChange[],
    progress?: FeedProgress,
  ): ResultAsync<readonly ApplyVerdict[], NoIndex | Unavailable>;
  /**
   * Begins a rebuild; its number is one above the last one's (`IndexInfo.rebuild`), so a call that arrives late begins
   * none. Queries go on finding what is there, but it is old from now on: a change replaces an old entry whatever its
   * place, and the same place again makes the entry count. The index forgets its progress, so that a rebuild that does
   * not reach its end is begun again.
   */
  renew(index: IndexName, rebuild: number): ResultAsync<void, NoIndex | RebuildMoved | Unavailable>;
  /**
   * Ends a rebuild: what is still old is gone as if it had never been, tombstones too. Tells how many documents that
   * were.
   */
  sweep(index: IndexName, rebuild: number): ResultAsync<number, NoIndex | RebuildMoved | Unavailable>;
  /** What was applied before is visible afterwards. */
  flush(index: IndexName): ResultAsync<void, NoIndex | Unavailable>;
  /** Sees one state of one index. Bounds of time and memory cut the answer, and the answer says so. */
  execute(where: Where, plan: QueryPlan): ResultAsync<QueryAnswer, NoIndex | PlanInvalid | Unavailable>;
  /**
   * Why a document is or is not a hit of the plan, in one state of the index: for each word and condition whether it
   * holds and the value it saw, the parts of the score, and its rank if it matches. The page of the plan does not matter.
   */
  explain(
    where: Where,
    plan: QueryPlan,
    pk: string,
  ): ResultAsync<Explanation, NoIndex | PlanInvalid | Unavailable>;
  /** One answer for each pk, in order, of what was applied before, flushed or not. */
  look(index: IndexName, pks: readonly string[]): ResultAsync<readonly SeenDocument[], NoIndex | Unavailable>;
  /** The digest of each part, of the living documents that queries see. */
  digest(
    index: IndexName,
    plan: DigestPlan,
  ): ResultAsync<readonly PartDigest[], NoIndex | InvalidInput | Unavailable>;
  /** The living documents of a part that queries see, in the order of their pks. Fewer than `limit`: there are no more. */
  places(
    index: IndexName,
    plan: PlacesPlan,
  ): ResultAsync<readonly DocumentPlace[], NoIndex | InvalidInput | Unavailable>;
  /**
   * The words of the living documents as they are written: folded but not stemmed, without stop words, in the order of
   * their characters. A form may stay listed for as long as a living document holds another form of the same word.
   * Fewer than `limit`: there are no more.
   */
  words(
    where: Where,
    plan: WordsPlan,
  ): ResultAsync<readonly IndexWord[], NoIndex | InvalidInput | Unavailable>;
  /** May be called twice. */
  close(): Promise<void>;
}

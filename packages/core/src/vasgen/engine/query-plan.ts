import type { Freshness } from '../document/freshness.ts';
import type { GeoPoint } from './index-change.ts';

/**
 * Words to find. The analyzer makes stems of them; a document matches `all` (the default) when every stem is in one of
 * its text fields, each in any of them; `any` when one is. A phrase wants its stems side by side in one field; a stop
 * word in it stands for any word. `prefixLast` lets the last word be unfinished: it matches a stem that equals its own
 * or begins with it as typed. Words that are all stop words match nothing; a text without any word is no condition.
 */
export type TextQuery = {
  readonly words: string;
  readonly match?: 'all' | 'any' | 'phrase';
  readonly prefixLast?: boolean;
};

/** `terms`: one of the values; of a field of several values, one of them is one of these (`all` of several `terms` asks for each). */
export type Filter =
  | { readonly kind: 'terms'; readonly field: string; readonly values: readonly (string | boolean)[] }
  /** Bounds are inclusive; at least one is given. */
  | { readonly kind: 'range'; readonly field: string; readonly min?: number; readonly max?: number }
  | { readonly kind: 'radius'; readonly field: string; readonly from: GeoPoint; readonly meters: number }
  | { readonly kind: 'exists'; readonly field: string }
  | { readonly kind: 'all'; readonly of: readonly Filter[] }
  | { readonly kind: 'any'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter };

/** A user's choice in a facet: it narrows the results and every other facet, but not the counts of its own. */
export type Choice = { readonly facet: string; readonly filter: Filter };

/** Missing values come last in both directions; what is equal in every key is ordered by pk. */
export type SortKey =
  | { readonly by: 'relevance' }
  | { readonly by: 'column'; readonly field: string; readonly direction: 'asc' | 'desc' }
  | { readonly by: 'distance'; readonly field: string; readonly from: GeoPoint }
  | { readonly by: 'similarity'; readonly field: string; readonly to: readonly number[] };

/**
 * Multiplies a document's relevance, which is 1 where no text asks for words, so that boosts rank what is browsed.
 * `factor` multiplies by 1 + weight * value (a missing value is 0), `recency` by
 * 1 + weight * 2^(-age / halfLife), where age is `now` minus the field, never below 0.
 */
export type Boost =
  | { readonly kind: 'factor'; readonly field: string; readonly weight: number }
  | {
      readonly kind: 'recency';
      readonly field: string;
      readonly weight: number;
      readonly now: number;
      readonly halfLife: number;
    };

/** The sort values of a hit (null: missing) and its pk: the next page begins after it. */
export type Cursor = { readonly values: readonly (number | string | null)[]; readonly pk: string };
/**
 * At most `max` hits of a page have the same value in an enum or string field of one value. The others are held back: the page
 * goes on with what follows them, and they come on no later page. Documents without a value are not held back.
 */
export type PageCap = { readonly field: string; readonly max: number };
/** A page with a cap begins at the start or after a cursor. */
export type Page = {
  readonly limit: number;
  readonly offset?: number;
  readonly after?: Cursor;
  readonly cap?: PageCap;
};

/**
 * `terms` counts the documents of each value of an enum or boolean field, `ranges` how many documents lie in each (min
 * inclusive, max exclusive), `stats` tells how many have a number in the field, and the smallest and the largest one.
 */
export type Facet =
  | { readonly kind: 'terms'; readonly name: string; readonly field: string; readonly limit?: number }
  | {
      readonly kind: 'ranges';
      readonly name: string;
      readonly field: string;
      readonly ranges: readonly { readonly min?: number; readonly max?: number }[];
    }
  | { readonly kind: 'stats'; readonly name: string; readonly field: string };

/** What a query may cost; engines have maxima of their own. */
export type QueryBounds = { readonly timeMs?: number; readonly bytes?: number };

export type QueryPlan = {
  readonly text?: TextQuery;
  readonly filter?: Filter;
  readonly choices?: readonly Choice[];
  /** When nothing is said: relevance where there is text or a boost, otherwise by pk alone. */
  readonly sort?: readonly SortKey[];
  readonly boosts?: readonly Boost[];
  readonly page: Page;
  readonly facets?: readonly Facet[];
  readonly bounds?: QueryBounds;
};

/** `score` means something only where relevance is a sort key. `freshness` is the place of the document that was found. */
export type Hit = {
  readonly pk: string;
  readonly score: number;
  readonly cursor: Cursor;
  readonly freshness: Freshness;
};
/** `min` and `max` are absent where the count is 0. */
export type FacetStats = { readonly count: number; readonly min?: number; readonly max?: number };
/**
 * Terms: by count, then by value. Ranges: in the order of the plan, empty ones too, `value` is the range's place. Stats: no
 * counts, but `stats`.
 */
export type FacetCounts = {
  readonly name: string;
  readonly counts: readonly { readonly value: string | boolean | number; readonly count: number }[];
  /** False: the counts are a lower bound, or the values beyond `limit` were left out. */
  readonly exact: boolean;
  readonly stats?: FacetStats;
};
export type QueryAnswer = {
  readonly hits: readonly Hit[];
  readonly total: number;
  readonly facets: readonly FacetCounts[];
  /** Hits that the cap kept out before the last hit of the page; of a page that is not full all of them. Absent: no cap. */
  readonly heldBack?: number;
  /** Why the answer is less than the whole: hits may be missing, total and counts are lower bounds. */
  readonly cut?: 'time' | 'memory';
  /** Rises with what queries see. Two answers of one opened engine with the same number saw the same documents. */
  readonly generation: number;
};

export const PAGE_LIMIT_MAX = 1_000;
/** Deeper pages go by cursor: an offset makes the engine keep all hits before it. */
export const PAGE_DEPTH_MAX = 10_000;
/** A page with a cap looks at so many hits at most, and may end early. */
export const CAPPED_DEPTH_MAX = 10_000;
export const FACETS_MAX = 100;
/** These two and `NUMBER_MAX` keep every score finite: (1e9 * 1e24)^8 is far below the largest double. */
export const BOOSTS_MAX = 8;
export const BOOST_WEIGHT_MAX = 1e9;
export const FACET_LIMIT_DEFAULT = 1_000;
export const FILTER_DEPTH_MAX = 16;

import type { Position } from '../../kernel/index.ts';

/** How far one searcher has applied the index topic to its index of one epoch. */
export type SearcherIndex = {
  readonly epoch: number;
  /** Everything that was in the topic when the searcher started is applied. */
  readonly caughtUp: boolean;
  /** The next record of each partition. */
  readonly positions: readonly Position[];
};
export type SearcherReport = { readonly searcher: string; readonly indexes: readonly SearcherIndex[] };
/** A report and how long ago it was stored, by the database's clock. */
export type StoredReport = SearcherReport & { readonly ageMs: number };

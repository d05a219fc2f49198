import type { ResultAsync } from 'neverthrow';
import type { InvalidInput, Unavailable } from '../../kernel/index.ts';
import type {
  ExplainAnswer,
  IndexWord,
  RawDocument,
  SearchAnswer,
  SearchRequest,
  WordsPlan,
} from '../../vasgen/index.ts';

/** The epoch of a page token does not answer any more. */
export type EpochGone = { readonly kind: 'EpochGone'; readonly epoch: number };

/** The index of offers as the API asks it: a searcher of this process, or one over the network. */
export interface SearchIndex {
  execute(request: SearchRequest): ResultAsync<SearchAnswer, EpochGone | InvalidInput | Unavailable>;
  /** Why an offer is or is not found by the request. */
  explain(
    request: SearchRequest,
    pk: string,
  ): ResultAsync<ExplainAnswer, EpochGone | InvalidInput | Unavailable>;
  /** Words of the serving epoch, page by page. */
  words(plan: WordsPlan): ResultAsync<readonly IndexWord[], InvalidInput | Unavailable>;
  /** The documents of these keys, at most 1000, in any order. Missing ones are left out. */
  documents(
    epoch: number,
    pks: readonly string[],
  ): ResultAsync<readonly RawDocument[], EpochGone | Unavailable>;
}

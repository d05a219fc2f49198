import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { IndexChange } from './index-change.ts';

export type RebuildPage = {
  readonly changes: readonly IndexChange[];
  /** The highest number of a schema that one of the changes was made under. */
  readonly schema: number;
  /** Where to go on; absent: this was the last page. */
  readonly next?: string;
};

/**
 * The current state of every document of an epoch, tombstones within the horizon included. A change that is accepted
 * while the scan runs is in the scan or in the index topic after the scan began, or in both.
 */
export interface RebuildSource {
  scan(epoch: number, cursor?: string): ResultAsync<RebuildPage, Unavailable>;
}

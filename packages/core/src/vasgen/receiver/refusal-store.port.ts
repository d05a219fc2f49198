import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';

/** A document that was refused, without its body. */
export type Refusal = {
  readonly pk: string;
  readonly epoch: number;
  readonly version: number;
  readonly timestampMs: number;
  readonly verdict: 'invalid' | 'too_old' | 'unknown_epoch';
  /** What was wrong, in words; cut to 1000 characters. */
  readonly reason: string;
  readonly atMs: number;
};

/** The last refusals of each document, so that every process can tell why one is not in the index. */
export interface RefusalStore {
  /** Remembers them; one for each pk and epoch, the newest. At most 1000. */
  add(client: ClientName, refusals: readonly Refusal[]): ResultAsync<void, Unavailable>;
  of(client: ClientName, pk: string): ResultAsync<readonly Refusal[], Unavailable>;
  /** Deletes those before `beforeMs`, at most `limit`. Returns how many were deleted. */
  purge(client: ClientName, beforeMs: number, limit: number): ResultAsync<number, Unavailable>;
}

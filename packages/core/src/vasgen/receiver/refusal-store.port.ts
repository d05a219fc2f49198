import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { Refusal } from './refusal.ts';

/** The last refusals of each document, so that every process can tell why one is not in the index. */
export interface RefusalStore {
  /** Remembers them; one for each pk and epoch, the newest. At most 1000. */
  add(client: ClientName, refusals: readonly Refusal[]): ResultAsync<void, Unavailable>;
  of(client: ClientName, pk: string): ResultAsync<readonly Refusal[], Unavailable>;
  /** Deletes those before `beforeMs`, at most `limit`. Returns how many were deleted. */
  purge(client: ClientName, beforeMs: number, limit: number): ResultAsync<number, Unavailable>;
}

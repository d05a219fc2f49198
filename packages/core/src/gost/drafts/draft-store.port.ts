import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { DraftSlot } from '../commit/commit-unit.ts';
import type { DraftId, DraftOwner } from './draft.ts';
import type { OfferId } from '../offer/offer-id.ts';

/** Reads drafts. `OfferStore.commit` writes them, so that a publish commits draft and offer together. */
export interface DraftStore {
  /** One slot per owner, in their order, all as of one moment. */
  slots(owners: readonly DraftOwner[]): ResultAsync<readonly DraftSlot[], Unavailable>;
  /** The offer that the draft became. Undefined if it is not published, or if the record was deleted by age. */
  publishedAs(id: DraftId): ResultAsync<OfferId | undefined, Unavailable>;
  /** Anonymous drafts that were last saved before `beforeUs`, the oldest first, at most `limit` (and 1000). */
  abandoned(beforeUs: number, limit: number): ResultAsync<readonly DraftSlot[], Unavailable>;
  /** Deletes records of drafts published before `beforeUs`, at most `limit` (and 1000). Returns how many. */
  forgetPublished(beforeUs: number, limit: number): ResultAsync<number, Unavailable>;
}

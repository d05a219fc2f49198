import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { DraftSlot } from '../domain/commit-unit.ts';
import type { DraftId, DraftOwner } from '../domain/draft.ts';
import type { OfferId } from '../domain/offer-id.ts';

/** Drafts as they are; they are moved by `OfferStore.commit`, so that a publish is one commit with its offer. */
export interface DraftStore {
  /** One slot for every owner, in their order; all of them as of one moment. */
  slots(owners: readonly DraftOwner[]): ResultAsync<readonly DraftSlot[], Unavailable>;
  /** The offer that a draft was published as; undefined while it is not, or when that is long ago. */
  publishedAs(id: DraftId): ResultAsync<OfferId | undefined, Unavailable>;
  /** Anonymous drafts that were last saved before `beforeUs`, the oldest first, at most `limit` (and 1000). */
  abandoned(beforeUs: number, limit: number): ResultAsync<readonly DraftSlot[], Unavailable>;
  /** Forgets what drafts were published as before `beforeUs`, at most `limit` (and 1000) of them; answers how many. */
  forgetPublished(beforeUs: number, limit: number): ResultAsync<number, Unavailable>;
}

import { errAsync, ResultAsync } from 'neverthrow';
import { invalidInput, type InvalidInput } from '../../kernel/index.ts';
import type { CommandId, SellerId } from './offer.ts';
import type { OfferId } from './offer-id.ts';
import type { ChangeOffers, Verdict } from './change-offers.use-case.ts';

/** What a seller may do to many offers at once. */
export type BulkAction = 'hide' | 'activate' | 'prolong' | 'remove';
export type BulkCommand = {
  readonly seller: SellerId;
  readonly offerIds: readonly OfferId[];
  readonly action: BulkAction;
  /** Of the whole command; repeated, it answers the same for every offer. */
  readonly commandId: CommandId;
  /** The id is the caller's choice. */
  readonly named?: boolean;
};
export type BulkVerdict = { readonly offerId: OfferId; readonly verdict: Verdict };
export type BulkChange = (command: BulkCommand) => ResultAsync<readonly BulkVerdict[], InvalidInput>;

export const BULK_OFFERS_MAX = 1_000;

/** A verdict for every offer that is named, once each, in their order; one that fails leaves the others alone. */
export const makeBulkChange =
  (changeOffers: ChangeOffers): BulkChange =>
  ({ seller, offerIds, action, commandId, named = false }) => {
    const ids = [...new Set(offerIds)];
    if (ids.length > BULK_OFFERS_MAX)
      return errAsync(
        invalidInput({ path: 'offer_ids', code: 'TooMany', message: `at most ${BULK_OFFERS_MAX}` }),
      );
    const orders = ids.map((offerId) => ({
      offerId,
      command: { kind: action, id: commandId, by: 'seller', seller, named } as const,
    }));
    return ResultAsync.fromSafePromise(
      changeOffers(orders).then((verdicts) => ids.map((offerId, i) => ({ offerId, verdict: verdicts[i]! }))),
    );
  };

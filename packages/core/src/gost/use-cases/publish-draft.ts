import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import type { CatalogNotLoaded, CategoryId } from '../../catalog/index.ts';
import { unavailable, type Unavailable } from '../../kernel/index.ts';
import type { GostError } from '../domain/command.ts';
import type { Conflict, DraftSlot, OfferDraft } from '../domain/commit-unit.ts';
import { decidePublish } from '../domain/decide.ts';
import type { DraftId } from '../domain/draft.ts';
import type { CommandId, CommandResult, Geo, SellerId } from '../domain/offer.ts';
import { resultOf } from '../domain/offer-change.ts';
import type { OfferId } from '../domain/offer-id.ts';
import type { Geocoder } from '../ports/geocoder.port.ts';
import { commitOne, persistently, type DraftNeeds, type DraftNotFound } from './current-draft.ts';
import { geoOf } from './edit-offer.ts';
import type { FindOffers } from './read-archive.ts';
import { contextOf, type DecidingNeeds } from './settings.ts';

export type PublishDraftNeeds = DraftNeeds &
  DecidingNeeds & {
    readonly newOfferId: () => OfferId;
    readonly geocoder: Geocoder;
    readonly findOffers: FindOffers;
  };
export type PublishDraftError = GostError | DraftNotFound | CatalogNotLoaded | Unavailable;
export type PublishDraft = (command: {
  readonly seller: SellerId;
  readonly draftId: DraftId;
}) => ResultAsync<CommandResult, PublishDraftError>;

/**
 * The user's draft becomes an offer, and the slot is free, in one commit. However often it is repeated, also at the
 * same time: one draft is one offer, and everybody is answered with it.
 */
export const makePublishDraft = (needs: PublishDraftNeeds): PublishDraft => {
  const { offers, drafts, newOfferId, geocoder, findOffers } = needs;
  const publishedBefore = (
    draftId: DraftId,
    seller: SellerId,
  ): ResultAsync<CommandResult, DraftNotFound | Unavailable> =>
    drafts
      .publishedAs(draftId)
      .andThen((id) => findOffers(id === undefined ? [] : [id]))
      .andThen(([found]): Result<CommandResult, DraftNotFound> =>
        found?.offer.seller === seller ? ok(resultOf(found.offer)) : err({ kind: 'DraftNotFound', draftId }),
      );
  const publish = (
    draft: OfferDraft,
    slot: DraftSlot,
    seller: SellerId,
    geo: Geo | undefined,
  ): ResultAsync<CommandResult, GostError | CatalogNotLoaded | Conflict | Unavailable> => {
    const catalog = needs.catalog();
    if (catalog.isErr()) return errAsync(catalog.error);
    const context = contextOf(catalog.value, needs);
    // A new id each time: where the one before was taken, chance finds another.
    const offerId = newOfferId();
    const content = { ...draft.content, category: draft.category ?? ('' as CategoryId) };
    const id = `publish/${draft.id}` as CommandId;
    const command = { kind: 'publish', id, by: 'seller', offerId, seller, content, geo } as const;
    const decision = decidePublish(undefined, command, context);
    if (decision.isErr()) return errAsync(decision.error);
    if (decision.value.kind === 'none') return errAsync(unavailable('a new offer changes nothing'));
    const { change, result } = decision.value;
    const free = { owner: slot.owner, expectedVersion: slot.version, draft: undefined };
    const published = { draftId: draft.id, offerId, atUs: context.nowUs };
    const move = { slots: [free], erased: [], published };
    return commitOne(offers, { changes: [change], drafts: move }).map(() => result);
  };
  // The slot first: a draft that leaves it meanwhile is found where it was published.
  return ({ seller, draftId }) =>
    persistently(needs, () =>
      drafts
        .slots([{ kind: 'user', id: seller }])
        .andThen(([slot]): ResultAsync<CommandResult, PublishDraftError | Conflict> => {
          const draft = slot?.draft;
          if (!draft || draft.id !== draftId) return publishedBefore(draftId, seller);
          return geoOf(geocoder, draft.content.place).andThen((geo) => publish(draft, slot, seller, geo));
        }),
    );
};

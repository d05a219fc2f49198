import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import type { CatalogNotLoaded, CategoryId } from '../../catalog/index.ts';
import { invalidInputOf, unavailable, type Unavailable } from '../../kernel/index.ts';
import type { GostError } from '../offer/command.ts';
import type { Conflict, DraftSlot, OfferDraft } from '../commit/commit-unit.ts';
import { decidePublish } from '../offer/decide.ts';
import type { DraftId } from './draft.ts';
import type { OfferChanged } from '../offer/change-offers.use-case.ts';
import type { CommandId, Geo, SellerId } from '../offer/offer.ts';
import { draftIdViolations, sellerIdViolations } from '../offer/field-rules.ts';
import { resultOf } from '../offer/offer-change.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { Geocoder } from '../offer/geocoder.port.ts';
import { decideAndCommit } from '../commit/decide-and-commit.use-case.ts';
import { locatePlace } from '../offer/locate-place.use-case.ts';
import type { DraftNeeds, DraftNotFound } from './current-draft.use-case.ts';
import type { FindOffers } from '../archive/read-archive.use-case.ts';
import { contextOf, type DecidingNeeds } from '../settings.ts';

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
}) => ResultAsync<OfferChanged, PublishDraftError>;

/**
 * One commit makes the offer and frees the draft's slot. Publishing one draft again, also at the same time, returns the
 * same offer.
 */
export const makePublishDraft = (needs: PublishDraftNeeds): PublishDraft => {
  const { offers, drafts, newOfferId, geocoder, findOffers } = needs;
  const publishedBefore = (
    draftId: DraftId,
    seller: SellerId,
  ): ResultAsync<OfferChanged, DraftNotFound | Unavailable> =>
    drafts
      .publishedAs(draftId)
      .andThen((id) => findOffers(id === undefined ? [] : [id]))
      .andThen(([found]): Result<OfferChanged, DraftNotFound> =>
        found?.offer.seller === seller
          ? // It answers as the first time while the offer is what the publish made.
            ok({ ...resultOf(found.offer), changed: found.offer.version === 1 })
          : err({ kind: 'DraftNotFound', draftId }),
      );
  const publish = (
    draft: OfferDraft,
    slot: DraftSlot,
    seller: SellerId,
    geo: Geo | undefined,
  ): ResultAsync<OfferChanged, GostError | CatalogNotLoaded | Conflict | Unavailable> => {
    const catalog = needs.catalog();
    if (catalog.isErr()) return errAsync(catalog.error);
    const context = contextOf(catalog.value, needs);
    // Each attempt draws a new id: the one before may have been taken.
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
    return offers.commit({ changes: [change], drafts: move }).map(() => ({ ...result, changed: true }));
  };
  // Reads the slot first: a draft that is published in between is found by `publishedBefore`.
  return ({ seller, draftId }) => {
    const violations = [...sellerIdViolations(seller), ...draftIdViolations(draftId)];
    if (violations.length > 0) return errAsync(invalidInputOf(violations));
    return decideAndCommit('this draft', needs, () =>
      drafts
        .slots([{ kind: 'user', id: seller }])
        .andThen(([slot]): ResultAsync<OfferChanged, PublishDraftError | Conflict> => {
          const draft = slot?.draft;
          if (!draft || draft.id !== draftId) return publishedBefore(draftId, seller);
          return locatePlace(geocoder, draft.content.place).andThen((geo) =>
            publish(draft, slot, seller, geo),
          );
        }),
    );
  };
};

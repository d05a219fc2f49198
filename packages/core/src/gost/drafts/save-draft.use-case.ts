import { errAsync, type ResultAsync } from 'neverthrow';
import type { CategoryId } from '../../catalog/index.ts';
import { invalidInputOf, type InvalidInput, type Unavailable } from '../../kernel/index.ts';
import type { Conflict, OfferDraft } from '../commit/commit-unit.ts';
import { decideAndCommit } from '../commit/decide-and-commit.use-case.ts';
import { draftIdViolations, ownerIdViolations } from '../offer/field-rules.ts';
import type { OfferText } from '../offer/offer.ts';
import { draftViolations } from '../offer/validation.ts';
import { nowUsOf } from '../settings.ts';
import type { DraftNeeds, DraftNotFound } from './current-draft.use-case.ts';
import type { DraftId, DraftOwner } from './draft.ts';

export type SaveDraft = (command: {
  readonly owner: DraftOwner;
  readonly draftId: DraftId;
  readonly category: CategoryId | undefined;
  readonly content: OfferText;
}) => ResultAsync<OfferDraft, DraftNotFound | InvalidInput | Unavailable>;

/** A draft has the limits of an offer, but nothing is required of it. The last save wins. */
export const makeSaveDraft = (needs: DraftNeeds): SaveDraft => {
  const { offers, drafts, clock, settings } = needs;
  return ({ owner, draftId, category, content }) => {
    const violations = [
      ...ownerIdViolations(owner.id),
      ...draftIdViolations(draftId),
      ...draftViolations({ category, content }, settings.limits),
    ];
    if (violations.length > 0) return errAsync(invalidInputOf(violations));
    return decideAndCommit('this draft', needs, () =>
      drafts
        .slots([owner])
        .andThen(([slot]): ResultAsync<OfferDraft, DraftNotFound | Conflict | Unavailable> => {
          if (slot?.draft?.id !== draftId) return errAsync({ kind: 'DraftNotFound', draftId });
          const lastUpdateUs = Math.max(nowUsOf(clock), slot.draft.lastUpdateUs);
          const draft: OfferDraft = { id: draftId, owner, category, content, lastUpdateUs };
          const move = { owner, expectedVersion: slot.version, draft };
          return offers.commit({ changes: [], drafts: { slots: [move], erased: [] } }).map(() => draft);
        }),
    );
  };
};

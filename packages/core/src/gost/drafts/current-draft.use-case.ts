import { errAsync, okAsync, type ResultAsync } from 'neverthrow';
import type { CategoryId } from '../../catalog/index.ts';
import { invalidInputOf, type InvalidInput, type Unavailable, type Violation } from '../../kernel/index.ts';
import type { Conflict, DraftSlot, OfferDraft } from '../commit/commit-unit.ts';
import { decideAndCommit } from '../commit/decide-and-commit.use-case.ts';
import type { ProcessOffers } from '../commit/process-offers.store.ts';
import { decideCurrentDraft, type DraftId, type DraftOwner } from './draft.ts';
import { categoryIdViolations, ownerIdViolations } from '../offer/field-rules.ts';
import { emptyText } from '../offer/offer.ts';
import type { DraftStore } from './draft-store.port.ts';
import { nowUsOf, type DecidingNeeds } from '../settings.ts';

export type DraftNeeds = Pick<DecidingNeeds, 'clock' | 'random' | 'settings'> & {
  readonly offers: Pick<ProcessOffers, 'commit'>;
  readonly drafts: DraftStore;
  readonly newDraftId: () => DraftId;
};
/** The owner's current draft is another one, or there is none. */
export type DraftNotFound = { readonly kind: 'DraftNotFound'; readonly draftId: DraftId };

export type CurrentDraftQuery = {
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly category?: CategoryId;
};
export type GetCurrentDraft = (
  query: CurrentDraftQuery,
) => ResultAsync<OfferDraft, InvalidInput | Unavailable>;

const ownersOf = ({ userId, anonymousId }: CurrentDraftQuery): DraftOwner[] => [
  ...(userId === undefined ? [] : [{ kind: 'user' as const, id: userId }]),
  ...(anonymousId === undefined ? [] : [{ kind: 'anonymous' as const, id: anonymousId }]),
];
const violationsOfQuery = ({ userId, anonymousId, category }: CurrentDraftQuery): readonly Violation[] => [
  ...(userId === undefined ? [] : ownerIdViolations(userId, 'owner.user_id')),
  ...(anonymousId === undefined ? [] : ownerIdViolations(anonymousId, 'owner.anonymous_id')),
  ...(category ? categoryIdViolations(category) : []),
];
const isOwn = (slot: DraftSlot, { owner }: OfferDraft): boolean =>
  slot.owner.kind === owner.kind && slot.owner.id === owner.id;

/** Carries out table T1: afterwards the caller has exactly one draft. The commit checks the slots of both owners. */
export const makeGetCurrentDraft = (needs: DraftNeeds): GetCurrentDraft => {
  const { offers, drafts, clock, newDraftId } = needs;
  const once = (query: CurrentDraftQuery): ResultAsync<OfferDraft, InvalidInput | Conflict | Unavailable> =>
    drafts.slots(ownersOf(query)).andThen((slots) => {
      const of = (kind: DraftOwner['kind']): OfferDraft | undefined =>
        slots.find(({ owner }) => owner.kind === kind)?.draft;
      const user = of('user');
      const anonymous = of('anonymous');
      const question = { ...query, ...(user ? { user } : {}), ...(anonymous ? { anonymous } : {}) };
      const making = { nowUs: nowUsOf(clock), newId: newDraftId, empty: emptyText };
      const decision = decideCurrentDraft(question, making);
      if (decision.isErr()) return errAsync(decision.error);
      const { draft, put, erased } = decision.value;
      if (!put && erased.length === 0) return okAsync(draft);
      const moves = slots.map((slot) => ({
        owner: slot.owner,
        expectedVersion: slot.version,
        draft: isOwn(slot, draft) ? draft : undefined,
      }));
      const move = { slots: moves, erased: erased.map(({ id }) => id) };
      return offers.commit({ changes: [], drafts: move }).map(() => draft);
    });
  return (query) => {
    const violations = violationsOfQuery(query);
    if (violations.length > 0) return errAsync(invalidInputOf(violations));
    return decideAndCommit('this draft', needs, () => once(query));
  };
};

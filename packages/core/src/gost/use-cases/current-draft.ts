import { err, errAsync, okAsync, type Result, type ResultAsync } from 'neverthrow';
import type { CategoryId } from '../../catalog/index.ts';
import {
  invalidInput,
  retrying,
  unavailable,
  type InvalidInput,
  type Unavailable,
} from '../../kernel/index.ts';
import type { CommitUnit, Conflict, DraftSlot, OfferDraft } from '../domain/commit-unit.ts';
import { decideCurrentDraft, type DraftId, type DraftOwner } from '../domain/draft.ts';
import { contentBytes, emptyText, type OfferText } from '../domain/offer.ts';
import type { DraftStore } from '../ports/draft-store.port.ts';
import type { OfferStore } from '../ports/offer-store.port.ts';
import { nowUsOf, type DecidingNeeds } from './settings.ts';

export type DraftNeeds = Pick<DecidingNeeds, 'clock' | 'random' | 'settings'> & {
  readonly offers: OfferStore;
  readonly drafts: DraftStore;
  readonly newDraftId: () => DraftId;
};
/** The owner has another draft by now, or none. */
export type DraftNotFound = { readonly kind: 'DraftNotFound'; readonly draftId: DraftId };

/** One unit, as a value: a refused one is an error. */
export const commitOne = (offers: OfferStore, unit: CommitUnit): ResultAsync<void, Conflict | Unavailable> =>
  offers
    .commit([unit])
    .andThen(([outcome]): Result<void, Conflict | Unavailable> => outcome ?? err(unavailable('no outcome')));
/** Decides again on what is there now, while a race was lost or an answer is missing. */
export const persistently = <T, E extends { readonly kind: string }>(
  { clock, random, settings }: Pick<DraftNeeds, 'clock' | 'random' | 'settings'>,
  work: () => ResultAsync<T, E | Conflict | Unavailable>,
): ResultAsync<T, Exclude<E, Conflict> | Unavailable> =>
  retrying(work, {
    ...{ clock, random, policy: settings.retry },
    isRetryable: (error) =>
      error.kind === 'Conflict' || (error.kind === 'Unavailable' && (error as Unavailable).retryable),
  }).mapErr((error): Exclude<E, Conflict> | Unavailable =>
    error.kind === 'Conflict'
      ? unavailable('too many others change this draft')
      : (error as Exclude<E, Conflict> | Unavailable),
  );

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
const isOwn = (slot: DraftSlot, { owner }: OfferDraft): boolean =>
  slot.owner.kind === owner.kind && slot.owner.id === owner.id;

/** Table T1, carried out: after it the caller has exactly one draft, and both slots were looked at. */
export const makeGetCurrentDraft = (needs: DraftNeeds): GetCurrentDraft => {
  const { offers, drafts, clock, newDraftId } = needs;
  const once = (query: CurrentDraftQuery): ResultAsync<OfferDraft, InvalidInput | Conflict | Unavailable> =>
    drafts.slots(ownersOf(query)).andThen((slots) => {
      const of = (kind: DraftOwner['kind']): OfferDraft | undefined =>
        slots.find(({ owner }) => owner.kind === kind)?.draft;
      const [user, anonymous] = [of('user'), of('anonymous')];
      const question = { ...query, ...(user ? { user } : {}), ...(anonymous ? { anonymous } : {}) };
      const making = { nowUs: nowUsOf(clock), newId: newDraftId, empty: emptyText };
      const decision = decideCurrentDraft(question, making);
      if (decision.isErr()) return errAsync(decision.error);
      const { draft, put, erased } = decision.value;
      if (!put && erased.length === 0) return okAsync(draft);
      const moves = slots.map((slot) => ({
        ...{ owner: slot.owner, expectedVersion: slot.version },
        draft: isOwn(slot, draft) ? draft : undefined,
      }));
      const move = { slots: moves, erased: erased.map(({ id }) => id) };
      return commitOne(offers, { changes: [], drafts: move }).map(() => draft);
    });
  return (query) => persistently(needs, () => once(query));
};

export type SaveDraft = (command: {
  readonly owner: DraftOwner;
  readonly draftId: DraftId;
  readonly category: CategoryId | undefined;
  readonly content: OfferText;
}) => ResultAsync<OfferDraft, DraftNotFound | InvalidInput | Unavailable>;

/** Nothing of a draft is checked but its size; the last one to save wins. */
export const makeSaveDraft = (needs: DraftNeeds): SaveDraft => {
  const { offers, drafts, clock, settings } = needs;
  return ({ owner, draftId, category, content }) => {
    const [bytes, most] = [contentBytes(content), settings.limits.offerBytesMax];
    if (bytes > most)
      return errAsync(
        invalidInput({ path: 'draft', code: 'TooLarge', message: `${bytes} bytes, at most ${most}` }),
      );
    return persistently(needs, () =>
      drafts
        .slots([owner])
        .andThen(([slot]): ResultAsync<OfferDraft, DraftNotFound | Conflict | Unavailable> => {
          if (slot?.draft?.id !== draftId) return errAsync({ kind: 'DraftNotFound', draftId });
          const lastUpdateUs = Math.max(nowUsOf(clock), slot.draft.lastUpdateUs);
          const draft: OfferDraft = { id: draftId, owner, category, content, lastUpdateUs };
          const move = { owner, expectedVersion: slot.version, draft };
          return commitOne(offers, { changes: [], drafts: { slots: [move], erased: [] } }).map(() => draft);
        }),
    );
  };
};

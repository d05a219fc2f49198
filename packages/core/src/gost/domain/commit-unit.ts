import type { Draft, DraftId, DraftOwner } from './draft.ts';
import { contentBytes, type OfferText } from './offer.ts';
import type { OfferChange } from './offer-change.ts';
import type { OfferId } from './offer-id.ts';

export type OfferDraft = Draft<OfferText>;
/** The place where an owner's one draft is. Its version counts every change, for ever; 0: nothing was ever in it. */
export type DraftSlot = {
  readonly owner: DraftOwner;
  readonly version: number;
  readonly draft: OfferDraft | undefined;
};
/** What a slot holds afterwards, if it is still at the version that was seen. */
export type SlotMove = {
  readonly owner: DraftOwner;
  readonly expectedVersion: number;
  readonly draft: OfferDraft | undefined;
};
export type DraftMove = {
  /** Every slot that the decision looked at, also one that stays as it is: its version is checked. */
  readonly slots: readonly SlotMove[];
  /** Drafts that are nowhere afterwards. */
  readonly erased: readonly DraftId[];
  readonly published?: { readonly draftId: DraftId; readonly offerId: OfferId; readonly atUs: number };
};

/** What commits all or none: a save, a publish with its draft, a batch of a feed. At most one change of an offer. */
export type CommitUnit = { readonly changes: readonly OfferChange[]; readonly drafts?: DraftMove };
/** Something that the unit was decided on has changed since. Nothing of it was written; load and decide again. */
export type Conflict = { readonly kind: 'Conflict' };

/** Beside the content: ids, times, the history entry, the lines in the lists. */
const OVERHEAD_BYTES = 600;
/** About what a unit writes: every content goes into the record and once more into the queue. */
export const unitBytes = ({ changes, drafts }: CommitUnit): number =>
  changes.reduce((sum, { offer }) => sum + OVERHEAD_BYTES + 2 * contentBytes(offer.content), 0) +
  (drafts?.slots ?? []).reduce(
    (sum, { draft }) => sum + OVERHEAD_BYTES + (draft ? contentBytes(draft.content) : 0),
    0,
  );

const claimsOf = ({ changes, drafts }: CommitUnit): readonly string[] => [
  ...changes.map(({ offer }) => `offer/${offer.id}`),
  ...(drafts?.slots ?? []).map(({ owner }) => `${owner.kind}/${owner.id}`),
];

/**
 * The units in as few groups as it takes that no group holds two of one offer or of one draft's owner. A later unit
 * never overtakes an earlier one that claims the same: it is judged by what the earlier one left.
 */
export const wavesOf = <Unit extends CommitUnit>(units: readonly Unit[]): readonly (readonly Unit[])[] => {
  const waves: Unit[][] = [];
  const lastWave = new Map<string, number>();
  for (const unit of units) {
    const claims = claimsOf(unit);
    const wave = Math.max(-1, ...claims.map((claim) => lastWave.get(claim) ?? -1)) + 1;
    for (const claim of claims) lastWave.set(claim, wave);
    (waves[wave] ??= []).push(unit);
  }
  return waves;
};

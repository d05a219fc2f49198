import type { Draft, DraftId, DraftOwner } from '../drafts/draft.ts';
import { roughBytes, type OfferText } from '../offer/offer.ts';
import type { FeedMove, FeedRow } from '../autoload/feed.ts';
import type { OfferChange, OutboxRecord } from '../offer/offer-change.ts';
import type { OfferId } from '../offer/offer-id.ts';

export type OfferDraft = Draft<OfferText>;
/** The place of an owner's one draft. Its version counts every change and never goes back; 0: it was never used. */
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
export type CommitUnit = {
  readonly changes: readonly OfferChange[];
  readonly drafts?: DraftMove;
  readonly feed?: FeedMove;
  /** Messages of the unit as a whole, such as the answer to a batch. */
  readonly outbox?: readonly OutboxRecord[];
};
/** Something that the unit was decided on has changed since. Nothing of it was written; load and decide again. */
export type Conflict = { readonly kind: 'Conflict' };

/** A caller keeps the units of one commit within these, so that any database takes them as one transaction. */
export const COMMIT_UNITS_MAX = 50;
export const COMMIT_BYTES_MAX = 400_000;

/** Beside the content: the head with its commands, the history entry, the lines in the lists. */
const OVERHEAD_BYTES = 1_000;
/** How often a change writes the content: into the record where it has changed, and into the queue where others hear of it. */
const copiesOf = ({ kinds }: OfferChange): number => (kinds.includes('content') ? 2 : 1);
const FEED_ROW_BYTES = 150;
const feedRowBytes = ({ externalId, result }: FeedRow): number =>
  FEED_ROW_BYTES +
  externalId.length +
  result.errors.reduce(
    (sum, { message, value = '', path }) => sum + 2 * (message.length + value.length + path.length) + 50,
    0,
  );
/** About what a unit writes. */
export const unitBytes = ({ changes, drafts, feed, outbox = [] }: CommitUnit): number =>
  changes.reduce(
    (sum, change) => sum + OVERHEAD_BYTES + copiesOf(change) * roughBytes(change.offer.content),
    0,
  ) +
  (drafts?.slots ?? []).reduce(
    (sum, { draft }) => sum + OVERHEAD_BYTES + (draft ? roughBytes(draft.content) : 0),
    0,
  ) +
  outbox.reduce((sum, { value }) => sum + value.length, 0) +
  (feed?.rows ?? []).reduce((sum, row) => sum + feedRowBytes(row), 0);

const claimsOf = ({ changes, drafts, feed }: CommitUnit): readonly string[] => [
  ...changes.map(({ offer }) => `offer/${offer.id}`),
  ...(drafts?.slots ?? []).map(({ owner }) => `${owner.kind}/${owner.id}`),
  ...(feed ? [`feed/${JSON.stringify([feed.seller, feed.namespace])}`] : []),
];

/**
 * The units in as few groups as it takes that no group holds two of one offer, of one draft's owner or of one feed. A later unit
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

import { type GostCodecs } from '@doska/core/gost';
import { OWNER_KINDS, type DraftMove } from '@doska/core/gost/storage';
import type { ParametersOf } from '../driver/query.ts';
import { bucketOf } from '../schema/buckets.ts';
import type { WRITE_DRAFTS } from './commit-queries.ts';
import { keyOf, type CommitState, type SlotRow } from './commit-state.ts';

type Writes = ParametersOf<(typeof WRITE_DRAFTS)['parameters']>;
type SavedRow = Writes['saved'][number];

/** Where an anonymous owner's draft stands among those by age. */
const savedRow = ({ owner_kind, owner_id, saved_at_us, draft_id }: SlotRow): readonly SavedRow[] =>
  owner_kind === OWNER_KINDS.anonymous && draft_id !== undefined
    ? [{ bucket: bucketOf(owner_id), saved_at_us, owner_id }]
    : [];
const keyOfSaved = ({ bucket, saved_at_us, owner_id }: SavedRow): string =>
  keyOf(bucket, saved_at_us, owner_id);

export const draftWrites = (
  moves: readonly DraftMove[],
  { slots: known }: CommitState,
  codecs: GostCodecs,
): Writes => {
  const changed = moves.flatMap(({ slots }) => slots);
  const slots = changed.map(({ owner, expectedVersion, draft }): SlotRow => ({
    owner_kind: OWNER_KINDS[owner.kind],
    owner_id: owner.id,
    version: expectedVersion + 1,
    saved_at_us: draft?.lastUpdateUs ?? 0,
    draft_id: draft?.id,
  }));
  const put = changed.flatMap(({ draft }) => draft ?? []);
  const published = moves.flatMap((move) => move.published ?? []);
  const drafts = new Map<string, Writes['drafts'][number]>();
  for (const draft of put) {
    const body = codecs.draft.encode(draft);
    drafts.set(draft.id, { id: draft.id, body, offer_id: undefined, published_at_us: undefined });
  }
  for (const { draftId, offerId, atUs } of published)
    drafts.set(draftId, { id: draftId, body: undefined, offer_id: offerId, published_at_us: atUs });
  const saved = slots.flatMap(savedRow);
  const kept = new Set(saved.map(keyOfSaved));
  const before = slots.flatMap((slot) => known.get(keyOf(slot.owner_kind, slot.owner_id)) ?? []);
  const erased = new Set(
    moves.flatMap((move): readonly string[] => move.erased).filter((id) => !drafts.has(id)),
  );
  return {
    slots,
    drafts: [...drafts.values()],
    erased: [...erased].map((id) => ({ id })),
    unsaved: before.flatMap(savedRow).filter((row) => !kept.has(keyOfSaved(row))),
    saved,
    published: published.map(({ draftId, atUs }) => ({
      bucket: bucketOf(draftId),
      published_at_us: atUs,
      draft_id: draftId,
    })),
  };
};

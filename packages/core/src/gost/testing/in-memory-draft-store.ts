import { ok, Result } from 'neverthrow';
import { unavailable } from '../../kernel/index.ts';
import { direct, transact } from '../../kernel/testing.ts';
import type { DraftSlot } from '../commit/commit-unit.ts';
import type { DraftOwner } from '../drafts/draft.ts';
import type { DraftStore } from '../drafts/draft-store.port.ts';
import { ROWS_MAX } from '../commit/offer-store.port.ts';
import type { InMemoryGostOptions } from './in-memory-offer-store.ts';
import { keyOf, type PublishedRow, type SlotRow } from './memory-rows.ts';

export const inMemoryDraftStore = ({ db, codecs, io = direct }: InMemoryGostOptions): DraftStore => {
  const slotOf = (owner: DraftOwner, row: SlotRow | undefined) =>
    (row?.body ? codecs.draft.decode(row.body) : ok(undefined)).map((draft): DraftSlot => ({
      owner,
      version: row?.version ?? 0,
      draft,
    }));
  const slotsOf = (found: readonly (readonly [owner: DraftOwner, row: SlotRow | undefined])[]) =>
    Result.combine(found.map(([owner, row]) => slotOf(owner, row))).mapErr((cause) =>
      unavailable('a stored draft is malformed', cause, false),
    );
  return {
    slots: (owners) =>
      transact(db, io, 'gost.slots', owners, (tx) =>
        ok(owners.map((owner) => [owner, tx.get<SlotRow>('gost_current_draft', keyOf.slot(owner))] as const)),
      ).andThen(slotsOf),
    publishedAs: (id) =>
      transact(db, io, 'gost.publishedAs', id, (tx) =>
        ok(tx.get<PublishedRow>('gost_published_draft', id)?.offerId),
      ),
    abandoned: (beforeUs, limit) =>
      transact(db, io, 'gost.abandoned', beforeUs, (tx) =>
        ok(
          tx
            .scan<SlotRow>('gost_current_draft')
            .map(([, row]) => row)
            .filter(
              ({ owner, body, touchedAtUs }) => owner.kind === 'anonymous' && body && touchedAtUs < beforeUs,
            )
            .sort((a, b) => a.touchedAtUs - b.touchedAtUs)
            .slice(0, Math.min(limit, ROWS_MAX))
            .map((row) => [row.owner, row] as const),
        ),
      ).andThen(slotsOf),
    forgetPublished: (beforeUs, limit) =>
      transact(db, io, 'gost.forgetPublished', beforeUs, (tx) => {
        const old = tx
          .scan<PublishedRow>('gost_published_draft')
          .filter(([, { atUs }]) => atUs < beforeUs)
          .slice(0, Math.min(limit, ROWS_MAX));
        for (const [key] of old) tx.delete('gost_published_draft', key);
        return ok(old.length);
      }),
  };
};

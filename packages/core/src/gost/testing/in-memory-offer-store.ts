import { err, ok, Result, ResultAsync, type Result as Outcome } from 'neverthrow';
import { unavailable, type Unavailable } from '../../kernel/index.ts';
import { direct, transact, type Io, type MemoryDatabase } from '../../kernel/testing.ts';
import type { CommitUnit, Conflict } from '../domain/commit-unit.ts';
import type { DraftStore } from '../ports/draft-store.port.ts';
import type { GostCodecs } from '../ports/gost-codecs.port.ts';
import { ROWS_MAX, type OfferStore } from '../ports/offer-store.port.ts';
import { applyUnit } from './memory-commit.ts';
import {
  after,
  keyOf,
  type HistoryRow,
  type OfferRow,
  type PublishedRow,
  type SlotRow,
} from './memory-rows.ts';

export type InMemoryGostOptions = {
  readonly db: MemoryDatabase;
  readonly codecs: GostCodecs;
  readonly io?: Io;
};
const unreadable = (cause: unknown): Unavailable => unavailable('a stored row is malformed', cause, false);

/** A transaction a unit: the weakest that the port allows, an `Unavailable` leaves some units done and some not. */
export const inMemoryOfferStore = ({ db, codecs, io = direct }: InMemoryGostOptions): OfferStore => {
  const commit = async (
    units: readonly CommitUnit[],
  ): Promise<Outcome<readonly Outcome<void, Conflict>[], Unavailable>> => {
    const outcomes: Outcome<void, Conflict>[] = [];
    for (const unit of units) {
      const args = unit.changes.map(({ offer }) => [offer.id, offer.version]);
      const outcome = await transact(db, io, 'gost.commit', args, (tx) => applyUnit(tx, unit, codecs));
      if (outcome.isOk()) outcomes.push(ok(undefined));
      else if (outcome.error.kind === 'Conflict') outcomes.push(err(outcome.error));
      else return err(outcome.error);
    }
    return ok(outcomes);
  };
  return {
    load: (ids) =>
      transact(db, io, 'gost.load', ids, (tx) =>
        ok(
          ids.slice(0, ROWS_MAX).flatMap((id) => {
            const row = tx.get<OfferRow>('gost_offer', id);
            return row ? [row.body] : [];
          }),
        ),
      ).andThen((bodies) => Result.combine(bodies.map(codecs.offer.decode)).mapErr(unreadable)),
    commit: (units) => new ResultAsync(commit(units)),
    history: (id, { before, limit }) =>
      transact(db, io, 'gost.history', { id, before }, (tx) =>
        ok(
          tx.scan<HistoryRow>('gost_history', {
            ...after(id),
            ...(before === undefined ? {} : { after: keyOf.history(id, before) }),
            limit: Math.min(limit, ROWS_MAX),
          }),
        ),
      ).andThen((rows) =>
        Result.combine(rows.map(([, { body }]) => codecs.history.decode(body))).mapErr(unreadable),
      ),
  };
};

export const inMemoryDraftStore = ({ db, codecs, io = direct }: InMemoryGostOptions): DraftStore => ({
  slots: (owners) =>
    transact(db, io, 'gost.slots', owners, (tx) =>
      ok(owners.map((owner) => ({ owner, row: tx.get<SlotRow>('gost_current_draft', keyOf.slot(owner)) }))),
    ).andThen((found) =>
      Result.combine(
        found.map(({ owner, row }) =>
          (row?.body ? codecs.draft.decode(row.body) : ok(undefined)).map((draft) => ({
            ...{ owner, version: row?.version ?? 0, draft },
          })),
        ),
      ).mapErr(unreadable),
    ),
  publishedAs: (id) =>
    transact(db, io, 'gost.publishedAs', id, (tx) =>
      ok(tx.get<PublishedRow>('gost_published_draft', id)?.offerId),
    ),
});

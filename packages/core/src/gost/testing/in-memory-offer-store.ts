import { err, ok, Result, ResultAsync, type Result as Outcome } from 'neverthrow';
import { unavailable, type Unavailable } from '../../kernel/index.ts';
import { direct, transact, type Io, type MemoryDatabase, type MemoryTx } from '../../kernel/testing.ts';
import type { CommitUnit, Conflict } from '../commit/commit-unit.ts';
import type { Offer } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { GostCodecs } from '../gost-codecs.port.ts';
import type { OfferScan, ScanPlace } from '../scan/offer-scan.port.ts';
import { ROWS_MAX, type OfferStore } from '../commit/offer-store.port.ts';
import { offerOfParts, type StoredPart } from '../commit/stored-offer.store.ts';
import { applyUnit } from './memory-commit.ts';
import { after, keyOf, type BodyRow, type HeadRow, type HistoryRow } from './memory-rows.ts';

export type InMemoryGostOptions = {
  readonly db: MemoryDatabase;
  readonly codecs: GostCodecs;
  readonly io?: Io;
};
const unreadable = (cause: unknown): Unavailable => unavailable('a stored row is malformed', cause, false);
const partsIn = (tx: MemoryTx, id: OfferId): readonly StoredPart[] =>
  tx
    .scan<BodyRow>('gost_offer', after(id))
    .map(([key, { body }]) => ({ kind: Number(key.slice(id.length + 1)), body }));
/** Ids that have no rows are left out. */
const offersOf = (
  found: readonly (readonly StoredPart[])[],
  codecs: GostCodecs,
): Outcome<readonly Offer[], Unavailable> =>
  Result.combine(
    found.filter((parts) => parts.length > 0).map((parts) => offerOfParts(parts, codecs)),
  ).mapErr(unreadable);

/** What is known already is answered as it is known. */
const newest = (offer: Offer, known: Offer | undefined): Offer =>
  known?.version === offer.version ? known : offer;

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
    load: (ids, known) =>
      transact(db, io, 'gost.load', ids, (tx) => ok(ids.slice(0, ROWS_MAX).map((id) => partsIn(tx, id))))
        .andThen((found) => offersOf(found, codecs))
        .map((found) => found.map((offer) => newest(offer, known?.(offer.id)))),
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
    rewriteHistory: (entries) =>
      transact(db, io, 'gost.rewriteHistory', entries.length, (tx) => {
        for (const entry of entries) {
          const key = keyOf.history(entry.offerId, entry.version);
          if (tx.get('gost_history', key))
            tx.put('gost_history', key, { body: codecs.history.encode(entry) });
        }
        return ok(undefined);
      }),
  };
};

export const inMemoryOfferScan = ({ db, codecs, io = direct }: InMemoryGostOptions): OfferScan => ({
  scan: ({ from, to, after: place }, limit) =>
    transact(db, io, 'gost.scan', { from, to, place }, (tx) => {
      const most = Math.min(limit, ROWS_MAX);
      const places = tx
        .scan<ScanPlace>('gost_offer_hash', {
          from: keyOf.hashFrom(from),
          to: keyOf.hashFrom(to),
          limit: most,
          ...(place ? { after: keyOf.hash(place) } : {}),
        })
        .map(([, row]) => row);
      const live = places.filter(
        ({ offerId }) => tx.get<HeadRow>('gost_offer', keyOf.offer(offerId))?.status !== 'removed',
      );
      const last = places.length === most ? places.at(-1) : undefined;
      return ok({ found: live.map(({ offerId }) => partsIn(tx, offerId)), last });
    }).andThen(({ found, last }) => offersOf(found, codecs).map((offers) => ({ offers, last }))),
  ofSeller: (seller, { after: last, limit }) =>
    transact(db, io, 'gost.ofSeller', { seller, last }, (tx) =>
      ok(
        tx
          .scan<{ readonly offerId: OfferId }>('gost_offer_seller', {
            ...after(keyOf.totals(seller)),
            ...(last ? { after: keyOf.ofSeller(seller, last) } : {}),
            limit: Math.min(limit, ROWS_MAX),
          })
          .map(([, { offerId }]) => partsIn(tx, offerId)),
      ),
    ).andThen((found) => offersOf(found, codecs)),
});

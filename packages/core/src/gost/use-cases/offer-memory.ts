import { ok } from 'neverthrow';
import { makeRecent } from '../../kernel/index.ts';
import { roughBytes, type Offer } from '../domain/offer.ts';
import type { OfferId } from '../domain/offer-id.ts';
import type { OfferStore } from '../ports/offer-store.port.ts';

export type OfferMemoryOptions = {
  /** About how much memory offers may take; 0: none are remembered. */
  readonly bytesMax: number;
};

/** What a process remembers of an offer, maybe no longer true: good enough for what a commit checks. */
export type Recalling = { readonly recall: (id: OfferId) => Offer | undefined };
export type RememberingOffers = OfferStore & Recalling;

export const defaultOfferMemory: OfferMemoryOptions = { bytesMax: 128 << 20 };

/** Beside the content: the record, its commands, and what holds them. */
const RECORD_BYTES = 1_500;
const weightOf = ({ content }: Offer): number => RECORD_BYTES + roughBytes(content);

/**
 * A store that remembers the offers it has read and written lately. Nothing is answered from memory alone: the store is asked
 * every time whether they are still at their version, and only what is news travels and is decoded.
 */
export const rememberingOffers = (store: OfferStore, { bytesMax }: OfferMemoryOptions): RememberingOffers => {
  const recent = makeRecent<OfferId, Offer>({ weightMax: bytesMax, weightOf });
  /** Answers may overtake each other. */
  const remember = (offer: Offer): void => {
    const known = recent.get(offer.id);
    if (known !== offer && !(known && known.version > offer.version)) recent.put(offer.id, offer);
  };
  return {
    ...store,
    recall: recent.get,
    load: (ids) =>
      // Not `map`: it waits for what it maps to.
      store.load(ids, recent.get).andThen((found) => {
        // What has left for the archive is nobody's to remember.
        if (found.length < ids.length) {
          const there = new Set(found.map(({ id }) => id));
          for (const id of ids) if (!there.has(id)) recent.forget(id);
        }
        for (const offer of found) remember(offer);
        return ok(found);
      }),
    commit: (units) =>
      store.commit(units).map((outcomes) => {
        outcomes.forEach((outcome, i) => {
          if (outcome.isOk()) for (const { offer } of units[i]!.changes) remember(offer);
        });
        return outcomes;
      }),
  };
};

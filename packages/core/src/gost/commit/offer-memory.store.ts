import { ok } from 'neverthrow';
import { makeRecent } from '../../kernel/index.ts';
import { roughBytes, type Offer } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { OfferStore } from './offer-store.port.ts';

/** `recall` gives the offer as it was last seen, maybe outdated. */
export type RememberingOffers = OfferStore & { readonly recall: (id: OfferId) => Offer | undefined };

/** Beside the content: the record, its commands, and the map entry. */
const RECORD_BYTES = 1_500;
const weightOf = ({ content }: Offer): number => RECORD_BYTES + roughBytes(content);

/**
 * A store that remembers the offers it has lately read and written, in about `bytesMax` bytes. It never answers from memory
 * alone: each `load` asks the store whether the remembered version is current, and only other versions travel.
 */
export const rememberingOffers = (
  store: OfferStore,
  { bytesMax }: { readonly bytesMax: number },
): RememberingOffers => {
  const recent = makeRecent<OfferId, Offer>({ weightMax: bytesMax, weightOf });
  /** An answer may arrive after a newer one: an older version never replaces a newer one. */
  const remember = (offer: Offer): void => {
    const known = recent.get(offer.id);
    if (known !== offer && !(known && known.version > offer.version)) recent.put(offer.id, offer);
  };
  return {
    ...store,
    recall: recent.get,
    load: (ids) =>
      // `andThen`, because `map` would await the mapped value once more.
      store.load(ids, recent.get).andThen((found) => {
        // An offer that is missing has moved to the archive.
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

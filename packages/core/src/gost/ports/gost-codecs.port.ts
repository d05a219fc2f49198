import type { Codec } from '../../kernel/index.ts';
import type { OfferDraft } from '../domain/commit-unit.ts';
import type { Offer } from '../domain/offer.ts';
import type { HistoryEntry } from '../domain/offer-change.ts';
import type { OfferView } from '../domain/offer-view.ts';

/** How the records of the offer store become bytes. `view` is also the value of `gost-offer-updates`. */
export type GostCodecs = {
  readonly offer: Codec<Offer>;
  readonly view: Codec<OfferView>;
  readonly draft: Codec<OfferDraft>;
  readonly history: Codec<HistoryEntry>;
};

import type { Codec } from '../kernel/index.ts';
import type { ArchivedOffer } from './archive/archiving.ts';
import type { OfferDraft } from './commit/commit-unit.ts';
import type { FeedProgress, FeedRow } from './autoload/feed.ts';
import type { FeedPhotoErrors } from './autoload/feed-message.ts';
import type { PhotoRequest } from '../photos/index.ts';
import type { HistoryEntry } from './history/history.ts';
import type { OfferBodies, OfferHead, OfferKind } from './offer/offer-parts.ts';
import type { OfferView } from './offer/offer-view.ts';

/** How the records of the offer store become bytes. `view` is also the value of `gost-offer-updates`. */
export type GostCodecs = {
  readonly head: Codec<OfferHead>;
  readonly bodies: { readonly [Kind in OfferKind]: Codec<OfferBodies[Kind]> };
  readonly view: Codec<OfferView>;
  readonly draft: Codec<OfferDraft>;
  readonly history: Codec<HistoryEntry>;
  /** A record of an archive's segment. */
  readonly archived: Codec<ArchivedOffer>;
  readonly feedProgress: Codec<FeedProgress>;
  readonly feedRow: Codec<FeedRow>;
  readonly photoRequest: Codec<PhotoRequest>;
  readonly photoErrors: Codec<FeedPhotoErrors>;
};

import type { ResultAsync } from 'neverthrow';
import type { ChangeOffer, ChangeOfferError, OfferChanged } from './change-offers.use-case.ts';
import type { EditOffer } from './command.ts';
import type { Geocoder } from './geocoder.port.ts';
import { locatePlace } from './locate-place.use-case.ts';
import type { OfferId } from './offer-id.ts';

export type EditOfferCommand = Omit<EditOffer, 'kind' | 'geo'> & { readonly offerId: OfferId };
export type EditOfferUseCase = (command: EditOfferCommand) => ResultAsync<OfferChanged, ChangeOfferError>;

/** Geocodes the place of the new content, then changes the offer. */
export const makeEditOffer =
  (changeOffer: ChangeOffer, geocoder: Geocoder): EditOfferUseCase =>
  ({ offerId, ...command }) =>
    locatePlace(geocoder, command.content.place).andThen((geo) =>
      changeOffer({ offerId, command: { ...command, kind: 'edit', geo } }),
    );

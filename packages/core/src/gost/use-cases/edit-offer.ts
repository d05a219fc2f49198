import { okAsync, type ResultAsync } from 'neverthrow';
import type { EditOffer } from '../domain/command.ts';
import type { Geo, Place } from '../domain/offer.ts';
import type { OfferId } from '../domain/offer-id.ts';
import type { Geocoder } from '../ports/geocoder.port.ts';
import type { ChangeOffer, ChangeOfferError, OfferChanged } from './change-offers.ts';

/** A geocoder that is away holds nobody up: the place is found at the next edit. */
export const geoOf = (geocoder: Geocoder, place: Place): ResultAsync<Geo | undefined, never> =>
  place.address === undefined && place.point === undefined
    ? okAsync(undefined)
    : geocoder.locate(place).orElse(() => okAsync(undefined));

export type EditOfferCommand = Omit<EditOffer, 'kind' | 'geo'> & { readonly offerId: OfferId };
export type EditOfferUseCase = (command: EditOfferCommand) => ResultAsync<OfferChanged, ChangeOfferError>;

/** An edit, with the place found. */
export const makeEditOffer =
  (changeOffer: ChangeOffer, geocoder: Geocoder): EditOfferUseCase =>
  ({ offerId, ...command }) =>
    geoOf(geocoder, command.content.place).andThen((geo) =>
      changeOffer({ offerId, command: { ...command, kind: 'edit', geo } }),
    );

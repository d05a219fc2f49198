import { okAsync, type ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { Geocoder } from './geocoder.port.ts';
import type { Geo, Place } from './offer.ts';

/** Asks the geocoder. An unreachable geocoder blocks no change: the next edit asks again. */
export const locatePlace = (geocoder: Geocoder, place: Place): ResultAsync<Geo | undefined, never> =>
  place.address === undefined && place.point === undefined
    ? okAsync(undefined)
    : geocoder.locate(place).orElse(() => okAsync(undefined));

/** As `locatePlace`, for callers that repeat what the geocoder could not answer. */
export const locatedGeo = (geocoder: Geocoder, place: Place): ResultAsync<Geo | undefined, Unavailable> =>
  place.address === undefined && place.point === undefined ? okAsync(undefined) : geocoder.locate(place);

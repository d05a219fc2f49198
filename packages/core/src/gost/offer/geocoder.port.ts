import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { Geo, Place } from './offer.ts';

/** Finds the region of a place. */
export interface Geocoder {
  /** Looks up the coordinates if given, else the address. Undefined if the place is unknown. */
  locate(place: Place): ResultAsync<Geo | undefined, Unavailable>;
}

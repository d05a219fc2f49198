import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { Geo, Place } from '../domain/offer.ts';

/** Knows where places are. */
export interface Geocoder {
  /** By coordinates where there are some, else by the address. Undefined: it knows no such place. */
  locate(place: Place): ResultAsync<Geo | undefined, Unavailable>;
}

import type { Result } from 'neverthrow';

/** No version of this codec wrote these bytes. `field` names the wrong field, if it is known. */
export type Malformed = { readonly kind: 'Malformed'; readonly what: string; readonly field?: string };

/** Converts a domain value to versioned bytes and back. */
export interface Codec<T> {
  encode(value: T): Uint8Array;
  /** Reads bytes of this and every earlier version. Other bytes give `Malformed`; it never throws. */
  decode(bytes: Uint8Array): Result<T, Malformed>;
}

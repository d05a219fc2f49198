import type { Result } from 'neverthrow';

/** The bytes are not what this codec (or any older version of it) wrote. `field` names the place where that is known. */
export type Malformed = { readonly kind: 'Malformed'; readonly what: string; readonly field?: string };

/** A domain value as versioned bytes. */
export interface Codec<T> {
  encode(value: T): Uint8Array;
  /** Reads what this and every earlier version wrote. Foreign bytes are a value, never an exception. */
  decode(bytes: Uint8Array): Result<T, Malformed>;
}

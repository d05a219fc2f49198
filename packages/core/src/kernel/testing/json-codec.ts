import { err, ok } from 'neverthrow';
import type { Codec } from '../ports/codec.port.ts';

/** Readable bytes for tests. Good enough for records without bytes, dates and bigints. */
export const jsonCodec = <T>(what: string): Codec<T> => ({
  encode: (value) => new TextEncoder().encode(JSON.stringify(value)),
  decode: (bytes) => {
    try {
      return ok(JSON.parse(new TextDecoder().decode(bytes)) as T);
    } catch {
      return err({ kind: 'Malformed', what });
    }
  },
});

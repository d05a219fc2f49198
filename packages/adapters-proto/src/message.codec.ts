import type { Codec, Malformed } from '@doska/core/kernel';
import { err, type Result } from 'neverthrow';
import { compressed, uncompressed } from './compressed.ts';

/** A generated message. */
export type Message<Pb> = {
  encode(message: Pb): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Pb;
};

/** A domain value as a message behind its format byte, compressed where that pays. */
export const messageCodec = <T, Pb>(
  what: string,
  message: Message<Pb>,
  toPb: (value: T) => Pb,
  fromPb: (pb: Pb) => Result<T, Malformed>,
): Codec<T> => ({
  encode: (value) => compressed(message.encode(toPb(value)).finish()),
  decode: (bytes) =>
    uncompressed(bytes, what).andThen((body) => {
      try {
        return fromPb(message.decode(body));
      } catch {
        return err({ kind: 'Malformed' as const, what, field: 'message' });
      }
    }),
});

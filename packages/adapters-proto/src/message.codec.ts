import { BinaryReader, type BinaryWriter } from '@bufbuild/protobuf/wire';
import type { Codec, Malformed } from '@doska/core/kernel';
import { err, type Result } from 'neverthrow';
import { compressed, uncompressed } from './compressed.ts';
import { MessageWriter } from './message-writer.ts';
import { utf8Text } from './utf8-text.ts';

/** A generated message. */
export type Message<Pb> = {
  encode(message: Pb, writer: BinaryWriter): BinaryWriter;
  decode(reader: BinaryReader): Pb;
};

/** One for all: its buffer has grown to what messages need. Nothing that is encoded waits for anything. */
let writer = new MessageWriter();
const encoded = <Pb>(message: Pick<Message<Pb>, 'encode'>, pb: Pb): Buffer => {
  try {
    message.encode(pb, writer);
    return writer.take();
  } catch (cause) {
    // Half a message is in it.
    writer = new MessageWriter();
    throw cause;
  }
};

/** A message's bytes: what `encode(…).finish()` gives, for less. */
export const messageBytes = <Pb>(message: Pick<Message<Pb>, 'encode'>, pb: Pb): Uint8Array =>
  Buffer.from(encoded(message, pb));

/** A domain value as a message behind its format byte, compressed where that pays. */
export const messageCodec = <T, Pb>(
  what: string,
  message: Message<Pb>,
  toPb: (value: T) => Pb,
  fromPb: (pb: Pb) => Result<T, Malformed>,
): Codec<T> => ({
  encode: (value) => compressed(encoded(message, toPb(value))),
  decode: (bytes) =>
    uncompressed(bytes, what).andThen((body) => {
      try {
        return fromPb(message.decode(new BinaryReader(body, utf8Text)));
      } catch {
        return err({ kind: 'Malformed' as const, what, field: 'message' });
      }
    }),
});

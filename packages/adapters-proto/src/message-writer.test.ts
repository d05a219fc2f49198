import { BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MessageWriter } from './message-writer.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('описание '.repeat(40), 'описание '.repeat(41), 'x'.repeat(300)),
);
/** A message with a message in it, as generated code writes them. */
const write = (writer: BinaryWriter, texts: readonly string[]): void => {
  for (const one of texts) writer.uint32(10).string(one);
  writer.uint32(18).fork();
  for (const one of texts) writer.uint32(10).string(one).uint32(16).int64(BigInt(one.length));
  writer.join();
};

test('[G12] message after message is what the library writes', () => {
  const writer = new MessageWriter();
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), (texts) => {
      const plain = new BinaryWriter();
      write(plain, texts);
      write(writer, texts);
      expect(Uint8Array.from(writer.take())).toEqual(plain.finish());
    }),
  );
});

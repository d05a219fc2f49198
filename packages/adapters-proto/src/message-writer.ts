import { BinaryWriter } from '@bufbuild/protobuf/wire';

/** What the library keeps to itself; our tests say when it no longer does so. */
type Inside = { readonly buffer: Uint8Array<ArrayBuffer>; pos: number };

/** Shorter texts are written faster than they are compared. */
const LONG = 200;

/**
 * A writer for many messages, one after the other. A long text that comes again is encoded once: a description goes into the
 * record and then into the view.
 */
export class MessageWriter extends BinaryWriter {
  #text = '';
  #bytes = new Uint8Array();

  override string(text: string): this {
    if (text.length < LONG) return super.string(text);
    if (text !== this.#text) [this.#text, this.#bytes] = [text, Buffer.from(text)];
    return this.bytes(this.#bytes);
  }

  /**
   * The message, where it was written: good until the next one begins. `finish` would copy it into an array of its own, which
   * costs more than the copy into Node's pool that every message gets anyway.
   */
  take(): Buffer {
    const inside = this as unknown as Inside;
    const message = Buffer.from(inside.buffer.buffer, 0, inside.pos);
    inside.pos = 0;
    return message;
  }
}

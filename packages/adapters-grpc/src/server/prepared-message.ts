import type { MessageType } from '../service-definition.ts';

/** A message that is bytes already. A handler may answer with one in the message's place. */
export class PreparedMessage<T> {
  readonly bytes: Uint8Array;
  /** Nobody reads it: it keeps answers of different types apart. */
  declare readonly of: T;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** Answers that are made of one thing that never changes: each is put together and encoded once, as long as the thing is kept. */
export const preparedFor = <Thing extends object, T>(
  type: MessageType<T>,
  messageOf: (thing: Thing) => T,
): ((thing: Thing) => PreparedMessage<T>) => {
  const made = new WeakMap<Thing, PreparedMessage<T>>();
  return (thing) => {
    const known = made.get(thing);
    if (known) return known;
    const prepared = new PreparedMessage<T>(type.encode(messageOf(thing)).finish());
    made.set(thing, prepared);
    return prepared;
  };
};

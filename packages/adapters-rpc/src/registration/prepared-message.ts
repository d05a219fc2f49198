/** A message that is bytes already. A handler may answer with one in the message's place. */
export class PreparedMessage<T> {
  readonly bytes: Uint8Array;
  /** Never read: it keeps answers of different types apart. */
  declare readonly of: T;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** Answers that are made of one thing that never changes: each is encoded once, as long as the thing is kept. */
export const preparedFor = <Thing extends object, T>(
  encode: (thing: Thing) => Uint8Array,
): ((thing: Thing) => PreparedMessage<T>) => {
  const made = new WeakMap<Thing, PreparedMessage<T>>();
  return (thing) => {
    const known = made.get(thing);
    if (known) return known;
    const prepared = new PreparedMessage<T>(encode(thing));
    made.set(thing, prepared);
    return prepared;
  };
};

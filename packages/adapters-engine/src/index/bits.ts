/** One bit a document, in words of 32. */
export const bitWords = (documents: number): number => (documents + 31) >>> 5;

export const hasBit = (bits: Uint32Array, at: number): boolean => ((bits[at >>> 5]! >>> (at & 31)) & 1) === 1;
export const setBit = (bits: Uint32Array, at: number): void => {
  bits[at >>> 5]! |= 1 << (at & 31);
};
export const clearBit = (bits: Uint32Array, at: number): void => {
  bits[at >>> 5]! &= ~(1 << (at & 31));
};

export const countBits = (bits: Uint32Array): number => {
  let count = 0;
  for (let word of bits) {
    for (; word !== 0; word &= word - 1) count++;
  }
  return count;
};

/** Writes the places of the bits that are set, between two words, to `out` in order and tells how many there are. */
export const listBits = (bits: Uint32Array, from: number, to: number, out: Uint32Array): number => {
  let count = 0;
  for (let at = from; at < to; at++) {
    for (let word = bits[at]!; word !== 0; word &= word - 1) {
      out[count++] = (at << 5) + (31 - Math.clz32(word & -word));
    }
  }
  return count;
};

/** A copy with room for `length` elements. Arrays belong to one segment, so they stay small: see `Segment`. */
export const grown = <
  T extends Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array,
>(
  array: T,
  length: number,
): T => {
  const larger = new (array.constructor as new (length: number) => T)(length);
  larger.set(array);
  return larger;
};

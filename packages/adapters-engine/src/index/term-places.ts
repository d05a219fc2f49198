/** Ones in a word of 32 bits. */
const onesIn = (word: number): number => {
  let left = word - ((word >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

/**
 * The place of a term among a segment's terms, in one look: a bit for each term up to the largest, and with each word
 * of bits how many ones are before it. Halving a long list of terms would wait for memory at every step.
 */
export class TermPlaces {
  /** A word of bits and the ones before it, in turn. */
  readonly #words: Uint32Array;

  /** `terms` ascend. */
  constructor(terms: Uint32Array) {
    const largest = terms.length === 0 ? 0 : terms[terms.length - 1]!;
    this.#words = new Uint32Array(2 * ((largest >>> 5) + 1));
    for (let at = 0; at < terms.length; at++) this.#words[2 * (terms[at]! >>> 5)]! |= 1 << (terms[at]! & 31);
    for (let word = 0, before = 0; word < this.#words.length; word += 2) {
      this.#words[word + 1] = before;
      before += onesIn(this.#words[word]!);
    }
  }

  /** -1 for a term that is not there. */
  find(term: number): number {
    const at = 2 * (term >>> 5);
    if (at >= this.#words.length) return -1;
    const bits = this.#words[at]!;
    const bit = 1 << (term & 31);
    return (bits & bit) === 0 ? -1 : this.#words[at + 1]! + onesIn(bits & (bit - 1));
  }

  get bytes(): number {
    return this.#words.byteLength;
  }
}

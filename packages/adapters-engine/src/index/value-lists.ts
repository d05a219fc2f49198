import { setBit } from './bits.ts';

/** A field with more values in a segment is looked through instead: its lists would be tiny and many. */
const LISTED_VALUES_MAX = 4096;
const OBJECT_BYTES = 150;

/** The documents of one value in a segment, `first` to `last`: a list, or bits where those are smaller. */
export type DocumentSet =
  | { readonly first: number; readonly last: number; readonly count: number; readonly list: Uint16Array }
  | {
      readonly first: number;
      readonly last: number;
      readonly count: number;
      readonly list?: undefined;
      /** From the word of `first` to that of `last`. */
      readonly bits: Uint32Array;
    };

/** Calls back for every document, in order, with each of its values; 0 is none. */
export type EachValue = (take: (document: number, id: number) => void) => void;

const emptySet = (first: number, last: number, count: number): DocumentSet => {
  const words = (last >>> 5) - (first >>> 5) + 1;
  return 2 * count < 4 * words
    ? { first, last, count, list: new Uint16Array(count) }
    : { first, last, count, bits: new Uint32Array(words) };
};

/** Which documents of a segment hold a value. */
export class ValueLists {
  readonly #sets: ReadonlyMap<number, DocumentSet>;

  private constructor(sets: ReadonlyMap<number, DocumentSet>) {
    this.#sets = sets;
  }

  /** `values` is above every value's number. Undefined: too many values to list them. */
  static of(values: number, each: EachValue): ValueLists | undefined {
    const counts = new Uint32Array(values);
    const firsts = new Uint16Array(values);
    const lasts = new Uint16Array(values);
    each((document, id) => {
      if (counts[id]!++ === 0) firsts[id] = document;
      lasts[id] = document;
    });
    const sets = new Map<number, DocumentSet>();
    for (let id = 1; id < values; id++) {
      if (counts[id] === 0) continue;
      if (sets.size === LISTED_VALUES_MAX) return undefined;
      sets.set(id, emptySet(firsts[id]!, lasts[id]!, counts[id]!));
    }
    const filled = new Uint32Array(values);
    each((document, id) => {
      const set = id === 0 ? undefined : sets.get(id)!;
      if (set?.list) set.list[filled[id]!++] = document;
      else if (set) setBit(set.bits, document - (set.first & ~31));
    });
    return new ValueLists(sets);
  }

  /** Undefined: no document has it. */
  find(id: number): DocumentSet | undefined {
    return this.#sets.get(id);
  }

  get bytes(): number {
    let bytes = 0;
    for (const set of this.#sets.values()) bytes += OBJECT_BYTES + (set.list ?? set.bits).byteLength;
    return bytes;
  }
}

/** Sets the bits of those documents of a set that lie in the words from `from` up to but not including `to`. */
export const markSet = (set: DocumentSet, bits: Uint32Array, from: number, to: number): void => {
  if (set.list) {
    const { list } = set;
    for (let at = 0; at < list.length; at++) {
      const word = list[at]! >>> 5;
      if (word >= from && word < to) setBit(bits, list[at]!);
    }
    return;
  }
  const start = set.first >>> 5;
  const end = Math.min(to, start + set.bits.length);
  for (let word = Math.max(from, start); word < end; word++) bits[word]! |= set.bits[word - start]!;
};

/** Clears what is not in a set of bits, in the words from `from` up to but not including `to`. */
export const keepBits = (
  first: number,
  kept: Uint32Array,
  bits: Uint32Array,
  from: number,
  to: number,
): void => {
  const start = first >>> 5;
  const low = Math.min(to, Math.max(from, start));
  const high = Math.max(low, Math.min(to, start + kept.length));
  bits.fill(0, from, low);
  for (let word = low; word < high; word++) bits[word]! &= kept[word - start]!;
  bits.fill(0, high, to);
};

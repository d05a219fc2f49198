import { PagedIntegers } from './paged-integers.ts';

/**
 * Postings of one term in one segment, in order: `document << 16 | counts`, where counts are four bits for each text
 * field. `data[from..to)` is the list.
 */
export type PostingList = { readonly data: Uint32Array; readonly from: number; readonly to: number };
export interface Postings {
  find(term: number): PostingList | undefined;
  readonly bytes: number;
}

const PAGE_BITS = 15;
const PAGE = 1 << PAGE_BITS;
/** A term's next piece is twice as long as its last; the last number of a piece is the place of the next. */
const pieceSize = (level: number): number => 4 << Math.min(level, 8);

/** Lists that grow: pieces in pages of memory, so that nothing that was written is ever copied. */
export class GrowingPostings implements Postings {
  readonly #pages: Uint32Array[] = [new Uint32Array(PAGE)];
  #free = 0;
  readonly #localOf = new PagedIntegers();
  /** By local number, in the order of first sight: term, first place, next place to write, end of the piece, level, count. */
  readonly #state: number[][] = [];
  #postings = 0;

  add(term: number, posting: number): void {
    let local = this.#localOf.get(term);
    if (local === 0) {
      const start = this.#take(pieceSize(0));
      local = this.#state.push([term, start, start, start + pieceSize(0) - 1, 0, 0]);
      this.#localOf.set(term, local);
    }
    const state = this.#state[local - 1]!;
    if (state[2] === state[3]) {
      const level = state[4]! + 1;
      const next = this.#take(pieceSize(level));
      this.#pages[state[3]! >>> PAGE_BITS]![state[3]! & (PAGE - 1)] = next;
      state[2] = next;
      state[3] = next + pieceSize(level) - 1;
      state[4] = level;
    }
    this.#pages[state[2]! >>> PAGE_BITS]![state[2]! & (PAGE - 1)] = posting;
    state[2]!++;
    state[5]!++;
    this.#postings++;
  }

  #take(size: number): number {
    if ((this.#free & (PAGE - 1)) + size > PAGE) this.#free = (this.#free | (PAGE - 1)) + 1;
    const start = this.#free;
    this.#free += size;
    while (this.#pages.length <= (start + size - 1) >>> PAGE_BITS) this.#pages.push(new Uint32Array(PAGE));
    return start;
  }

  /** Copies a list to `out` from `at` on; returns where it ends. */
  copy(term: number, out: Uint32Array, at: number): number {
    const local = this.#localOf.get(term);
    if (local === 0) return at;
    const state = this.#state[local - 1]!;
    const count = state[5]!;
    let place = state[1]!;
    for (let level = 0, left = count; left > 0; level++) {
      const page = this.#pages[place >>> PAGE_BITS]!;
      const begin = place & (PAGE - 1);
      const size = pieceSize(level) - 1;
      const part = Math.min(left, size);
      for (let from = begin; from < begin + part; from++) out[at++] = page[from]!;
      left -= part;
      place = page[begin + size]!;
    }
    return at;
  }

  find(term: number): PostingList | undefined {
    const local = this.#localOf.get(term);
    if (local === 0) return undefined;
    const data = new Uint32Array(this.#state[local - 1]![5]!);
    return { data, from: 0, to: this.copy(term, data, 0) };
  }

  get terms(): Uint32Array {
    return Uint32Array.from(this.#state, (state) => state[0]!).sort();
  }

  get count(): number {
    return this.#postings;
  }

  get bytes(): number {
    return this.#pages.length * PAGE * 4 + this.#localOf.bytes + this.#state.length * 88;
  }
}

/** Lists that are finished: one array, terms found by halving. */
export class SealedPostings implements Postings {
  readonly terms: Uint32Array;
  /** One more than terms: list `n` is `data[starts[n]..starts[n + 1])`. */
  readonly starts: Uint32Array;
  readonly data: Uint32Array;

  constructor(terms: Uint32Array, starts: Uint32Array, data: Uint32Array) {
    this.terms = terms;
    this.starts = starts;
    this.data = data;
  }

  find(term: number): PostingList | undefined {
    const { terms } = this;
    let low = 0;
    let high = terms.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (terms[middle]! < term) low = middle + 1;
      else high = middle;
    }
    if (terms[low] !== term) return undefined;
    return { data: this.data, from: this.starts[low]!, to: this.starts[low + 1]! };
  }

  get bytes(): number {
    return this.terms.byteLength + this.starts.byteLength + this.data.byteLength;
  }
}

const POSTINGS_A_SLICE = 20_000;

/** Finishes lists bit by bit: yields after every slice, so that nobody waits for all of it. */
export function* sealPostings(growing: GrowingPostings): Generator<void, SealedPostings> {
  const terms = growing.terms;
  const starts = new Uint32Array(terms.length + 1);
  const data = new Uint32Array(growing.count);
  let at = 0;
  for (let index = 0, rest = POSTINGS_A_SLICE; index < terms.length; index++) {
    const end = growing.copy(terms[index]!, data, at);
    starts[index + 1] = end;
    rest -= end - at + 4;
    at = end;
    if (rest <= 0) {
      yield;
      rest = POSTINGS_A_SLICE;
    }
  }
  return new SealedPostings(terms, starts, data);
}

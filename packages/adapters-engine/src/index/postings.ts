import { PagedIntegers } from './paged-integers.ts';
import { TermPlaces } from './term-places.ts';

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

/** What is known of a term's list, as numbers in a page: its term, and places in the pages of pieces. */
const TERM = 0;
const FIRST = 1;
const NEXT = 2;
const END = 3;
const LEVEL = 4;
const COUNT = 5;
const STATE = 8;
const STATES_BITS = 12;
const STATES = 1 << STATES_BITS;

/** Lists that grow: pieces in pages of memory, so that nothing that was written is ever copied, and no objects. */
export class GrowingPostings implements Postings {
  readonly #pages: Uint32Array[] = [new Uint32Array(PAGE)];
  #free = 0;
  readonly #localOf = new PagedIntegers();
  readonly #states: Int32Array[] = [];
  #terms = 0;
  #postings = 0;

  add(term: number, posting: number): void {
    const local = this.#localOf.get(term);
    const number = local === 0 ? this.#begin(term) : local - 1;
    const state = this.#states[number >>> STATES_BITS]!;
    const at = (number & (STATES - 1)) * STATE;
    if (state[at + NEXT] === state[at + END]) {
      const level = ++state[at + LEVEL]!;
      const next = this.#take(pieceSize(level));
      const link = state[at + END]!;
      this.#pages[link >>> PAGE_BITS]![link & (PAGE - 1)] = next;
      state[at + NEXT] = next;
      state[at + END] = next + pieceSize(level) - 1;
    }
    const place = state[at + NEXT]!++;
    this.#pages[place >>> PAGE_BITS]![place & (PAGE - 1)] = posting;
    state[at + COUNT]!++;
    this.#postings++;
  }

  #begin(term: number): number {
    const number = this.#terms++;
    const state = (this.#states[number >>> STATES_BITS] ??= new Int32Array(STATES * STATE));
    const at = (number & (STATES - 1)) * STATE;
    const start = this.#take(pieceSize(0));
    state[at + TERM] = term;
    state[at + FIRST] = start;
    state[at + NEXT] = start;
    state[at + END] = start + pieceSize(0) - 1;
    this.#localOf.set(term, number + 1);
    return number;
  }

  #take(size: number): number {
    if ((this.#free & (PAGE - 1)) + size > PAGE) this.#free = (this.#free | (PAGE - 1)) + 1;
    const start = this.#free;
    this.#free += size;
    while (this.#pages.length <= (start + size - 1) >>> PAGE_BITS) this.#pages.push(new Uint32Array(PAGE));
    return start;
  }

  #of(number: number, what: number): number {
    return this.#states[number >>> STATES_BITS]![(number & (STATES - 1)) * STATE + what]!;
  }

  /** Copies a list to `out` from `at` on; returns where it ends. */
  copy(term: number, out: Uint32Array, at: number): number {
    const local = this.#localOf.get(term);
    if (local === 0) return at;
    let place = this.#of(local - 1, FIRST);
    for (let level = 0, left = this.#of(local - 1, COUNT); left > 0; level++) {
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
    const data = new Uint32Array(this.#of(local - 1, COUNT));
    return { data, from: 0, to: this.copy(term, data, 0) };
  }

  get terms(): Uint32Array {
    const terms = new Uint32Array(this.#terms);
    for (let number = 0; number < terms.length; number++) terms[number] = this.#of(number, TERM);
    return terms.sort();
  }

  get count(): number {
    return this.#postings;
  }

  get bytes(): number {
    return this.#pages.length * PAGE * 4 + this.#localOf.bytes + this.#states.length * STATES * STATE * 4;
  }
}

/** Lists that are finished: one array. */
export class SealedPostings implements Postings {
  readonly terms: Uint32Array;
  /** One more than terms: list `n` is `data[starts[n]..starts[n + 1])`. */
  readonly starts: Uint32Array;
  readonly data: Uint32Array;
  readonly #places: TermPlaces;

  constructor(terms: Uint32Array, starts: Uint32Array, data: Uint32Array) {
    this.terms = terms;
    this.starts = starts;
    this.data = data;
    this.#places = new TermPlaces(terms);
  }

  find(term: number): PostingList | undefined {
    const at = this.#places.find(term);
    return at < 0 ? undefined : { data: this.data, from: this.starts[at]!, to: this.starts[at + 1]! };
  }

  get bytes(): number {
    return this.terms.byteLength + this.starts.byteLength + this.data.byteLength + this.#places.bytes;
  }
}

const POSTINGS_A_SLICE = 20_000;

/** Finishes lists bit by bit: yields after every slice, so that other work can run in between. */
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

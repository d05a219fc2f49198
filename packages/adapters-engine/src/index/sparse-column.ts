import type { FieldValue } from '@doska/core/vasgen';
import { grown } from './bits.ts';
import type { PackedColumn } from './columns.ts';

const FIRST_ROOM = 16;

/**
 * The values of those documents that have one, packed one after another; `docs` tells whose they are. A document
 * without a value costs nothing here.
 */
export class SparseColumn {
  readonly kind = 'sparse';
  readonly packed: PackedColumn;
  /** Ascending; the first `count` are in use. */
  docs: Uint16Array;
  count: number;
  #room: number;
  /** Documents are mostly asked for in ascending order, so the search goes on where it ended. */
  #last = 0;

  constructor(packed: PackedColumn, docs: Uint16Array = new Uint16Array(0), count = docs.length) {
    this.packed = packed;
    this.docs = docs;
    this.count = count;
    this.#room = count;
  }

  /** Documents are put in ascending order; the value is there. */
  put(at: number, value: FieldValue): void {
    if (this.count === this.#room) {
      this.#room = Math.max(FIRST_ROOM, 2 * this.#room);
      this.docs = grown(this.docs, this.#room);
      this.packed.grow(this.#room);
    }
    this.docs[this.count] = at;
    this.packed.put(this.count++, value);
  }

  /** The next value makes the arrays larger: the moment to ask whether this is still the right shape. */
  get isFull(): boolean {
    return this.count === this.#room && this.count >= FIRST_ROOM;
  }

  /** Where the value of a document is; -1 for a document without one. */
  ordinal(at: number): number {
    const { docs, count } = this;
    const first = docs[0]!;
    if (docs[count - 1]! - first === count - 1) {
      const near = at - first;
      return near >= 0 && near < count ? near : -1;
    }
    let low = docs[this.#last]! <= at ? this.#last : 0;
    if (docs[low]! > at) return -1;
    let step = 1;
    for (; low + step < count && docs[low + step]! <= at; step *= 2) low += step;
    let high = Math.min(low + step, count);
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (docs[middle]! <= at) low = middle;
      else high = middle;
    }
    this.#last = low;
    return docs[low] === at ? low : -1;
  }

  valueAt(at: number): ReturnType<PackedColumn['valueAt']> {
    const ordinal = this.ordinal(at);
    return ordinal < 0 ? undefined : this.packed.valueAt(ordinal);
  }
  has(at: number): boolean {
    return this.ordinal(at) >= 0;
  }

  seal(): void {
    this.docs = this.docs.slice(0, this.count);
    this.#room = this.count;
    this.packed.seal(this.count);
  }

  /** The documents of each value, once sealed. */
  list(): void {
    const { packed } = this;
    if (packed.kind === 'enum' || packed.kind === 'enums') packed.list(this.count, this.docs);
  }

  get bytes(): number {
    return this.docs.byteLength + this.packed.bytes;
  }
}

import type { EnumColumn } from '../index/enum-column.ts';
import type { NumberColumn } from '../index/columns.ts';
import { SEGMENT_DOCUMENTS_MAX, type Segment } from '../index/segment.ts';
import type { SparseColumn } from '../index/sparse-column.ts';

type Ids = EnumColumn['ids'];
type Numbers = NumberColumn['values'];

/** Arrays that are blank between uses: what was written is wiped, document by document. */
class Blanks<T extends Float64Array | Uint32Array> {
  readonly #make: () => T;
  readonly #blank: number;
  readonly #free: T[] = [];
  readonly #used = new Map<SparseColumn, T>();

  constructor(blank: number, make: () => T) {
    this.#blank = blank;
    this.#make = make;
  }

  take(column: SparseColumn, values: ArrayLike<number>): T {
    const known = this.#used.get(column);
    if (known) return known;
    const array = this.#free.pop() ?? this.#make();
    this.#used.set(column, array);
    const { docs, count } = column;
    for (let ordinal = 0; ordinal < count; ordinal++) array[docs[ordinal]!] = values[ordinal]!;
    return array;
  }

  release(): void {
    for (const [{ docs, count }, array] of this.#used) {
      for (let ordinal = 0; ordinal < count; ordinal++) array[docs[ordinal]!] = this.#blank;
      this.#free.push(array);
    }
    this.#used.clear();
  }
}

const NO_NUMBERS = new Float64Array(SEGMENT_DOCUMENTS_MAX).fill(Number.NaN);
const NO_IDS = new Uint8Array(SEGMENT_DOCUMENTS_MAX);
const numbers = new Blanks(Number.NaN, () => new Float64Array(SEGMENT_DOCUMENTS_MAX).fill(Number.NaN));
const ids = new Blanks(0, () => new Uint32Array(SEGMENT_DOCUMENTS_MAX));

/** The values of a number field by document, NaN for none. Good until `releaseViews`. */
export const numbersOf = (segment: Segment, field: string): Numbers => {
  const column = segment.column(field);
  if (!column) return NO_NUMBERS;
  if (column.kind === 'sparse') return numbers.take(column, (column.packed as NumberColumn).values);
  return (column as NumberColumn).values;
};

/** The values of a field of one value by document, 0 for none. Good until `releaseViews`. */
export const idsOf = (segment: Segment, field: string): Ids => {
  const column = segment.column(field);
  if (!column) return NO_IDS;
  if (column.kind === 'sparse') return ids.take(column, (column.packed as EnumColumn).ids);
  return (column as EnumColumn).ids;
};

/** A query is done with a segment: its arrays serve the next one. Queries run one at a time. */
export const releaseViews = (): void => {
  numbers.release();
  ids.release();
};

import type { Column } from '../index/column-shapes.ts';
import type { EnumsColumn } from '../index/enums-column.ts';
import type { SparseColumn } from '../index/sparse-column.ts';
import type { ValueLists } from '../index/value-lists.ts';

/** A field of several values: those of one document at a time. */
export class Several {
  readonly #column: SparseColumn;
  readonly #values: EnumsColumn;

  private constructor(column: SparseColumn, values: EnumsColumn) {
    this.#column = column;
    this.#values = values;
  }

  /** Undefined for a field of one value. */
  static of(column: Column | undefined): Several | undefined {
    return column?.kind === 'sparse' && column.packed.kind === 'enums'
      ? new Several(column, column.packed)
      : undefined;
  }

  hasOneOf(document: number, allowed: Uint8Array): boolean {
    const ordinal = this.#column.ordinal(document);
    return ordinal >= 0 && this.#values.hasOneOf(ordinal, allowed);
  }
  count(document: number, counters: Uint32Array): void {
    const ordinal = this.#column.ordinal(document);
    if (ordinal >= 0) this.#values.count(ordinal, counters);
  }
}

/** The documents of each value; undefined where there are no lists: look at the values. */
export const listsOf = (column: Column): ValueLists | undefined => {
  const packed = column.kind === 'sparse' ? column.packed : column;
  return packed.kind === 'enum' || packed.kind === 'enums' ? packed.lists : undefined;
};

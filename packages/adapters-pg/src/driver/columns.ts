type Cell = string | number | null;
const literal = (cell: Cell): string | number => {
  if (cell === null) return 'NULL';
  if (typeof cell === 'number') return cell;
  return /["\\]/.test(cell) ? `"${cell.replace(/["\\]/g, '\\$&')}"` : `"${cell}"`;
};
/**
 * Columns of one array parameter each; a row is one value in every column. They are spelled out here: the driver would look at
 * every value for what it might be.
 */
export class Columns {
  readonly #width: number;
  readonly #cells: Cell[] = [];
  constructor(width: number) {
    this.#width = width;
  }
  add(...row: readonly Cell[]): void {
    for (let column = 0; column < this.#width; column++) this.#cells.push(row[column] ?? null);
  }
  /** Without a row they are null: an empty array would be parsed and unpacked for nothing. `unnest` makes no row of either. */
  get parameters(): readonly (string | null)[] {
    return Array.from({ length: this.#width }, (_, column) => {
      if (this.#cells.length === 0) return null;
      const spelled: (string | number)[] = [];
      for (let at = column; at < this.#cells.length; at += this.#width)
        spelled.push(literal(this.#cells[at]!));
      return `{${spelled.join()}}`;
    });
  }
}

/** Rows of a sheet, some at a time. */
export type SheetRows = AsyncIterable<readonly (readonly (string | number)[])[]>;

/** Writes a workbook of any length in constant memory. */
export interface SheetWriter {
  /**
   * The bytes of the workbook. Each sheet begins with the header; when one is full, the next begins. A text is never a
   * formula, whatever it begins with. The bytes end with an error if the rows do.
   */
  write(header: readonly string[], rows: SheetRows): AsyncIterable<Uint8Array>;
}

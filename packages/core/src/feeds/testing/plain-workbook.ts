import type { SheetWriter } from '../ports/sheet-writer.port.ts';

/** A workbook for tests: one JSON array a line. */
export const plainWorkbook: SheetWriter = {
  write: async function* (header, rows) {
    const line = (cells: readonly (string | number)[]): Uint8Array =>
      new TextEncoder().encode(`${JSON.stringify(cells)}\n`);
    yield line(header);
    for await (const some of rows) for (const cells of some) yield line(cells);
  },
};

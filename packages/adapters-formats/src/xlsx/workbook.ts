import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { SheetRows, SheetWriter } from '@doska/core/feeds';
import { ZipFile } from 'yazl';
import { SHEET_HEAD, SHEET_TAIL, sheetPath, workbookParts } from './parts.ts';
import { rowXml } from './sheet-rows.ts';

/** A sheet has no more rows in any program. */
const SHEET_ROWS_MAX = 1_048_576;

export type WorkbookOptions = { readonly sheetRowsMax?: number };

/** Gives out rows in any number at a time. */
const makeTray = (rows: SheetRows) => {
  const source = rows[Symbol.asyncIterator]();
  let waiting: readonly (readonly (string | number)[])[] = [];
  return {
    /** At most so many rows; none at the end. */
    take: async (limit: number): Promise<readonly (readonly (string | number)[])[]> => {
      while (waiting.length === 0) {
        const next = await source.next();
        if (next.done) return [];
        waiting = next.value;
      }
      const taken = waiting.slice(0, limit);
      waiting = waiting.slice(limit);
      return taken;
    },
    isEmpty: async (): Promise<boolean> => {
      while (waiting.length === 0) {
        const next = await source.next();
        if (next.done) return true;
        waiting = next.value;
      }
      return false;
    },
    close: async (): Promise<void> => void (await source.return?.()),
  };
};

/** Writes XLSX as a stream: a sheet is compressed while its rows come, and nothing of it is kept. */
export const xlsxWriter = ({ sheetRowsMax = SHEET_ROWS_MAX }: WorkbookOptions = {}): SheetWriter => ({
  write: async function* (header, rows): AsyncGenerator<Uint8Array> {
    const tray = makeTray(rows);
    const zip = new ZipFile();
    // Typed as a stream of Node that can only be read.
    const output = zip.outputStream as Readable;
    async function* sheet(): AsyncGenerator<string> {
      yield SHEET_HEAD + rowXml(header, 1);
      for (let row = 2; row <= sheetRowsMax;) {
        const taken = await tray.take(sheetRowsMax - row + 1);
        if (taken.length === 0) break;
        const first = row;
        row += taken.length;
        yield taken.map((cells, at) => rowXml(cells, first + at)).join('');
      }
      yield SHEET_TAIL;
    }
    let content: Readable | undefined;
    const fill = async (): Promise<void> => {
      let sheets = 0;
      do {
        sheets += 1;
        content = Readable.from(sheet());
        const done = once(content, 'end');
        zip.addReadStream(content, sheetPath(sheets));
        content.once('error', (cause) => output.destroy(cause));
        await done;
      } while (!(await tray.isEmpty()));
      for (const [path, xml] of workbookParts(sheets)) zip.addBuffer(Buffer.from(xml), path);
      zip.end();
    };
    const filled = fill().catch((cause: unknown) => {
      output.destroy(cause instanceof Error ? cause : new Error(String(cause)));
    });
    try {
      yield* output as AsyncIterable<Uint8Array>;
      await filled;
    } finally {
      content?.destroy();
      output.destroy();
      await tray.close();
    }
  },
});

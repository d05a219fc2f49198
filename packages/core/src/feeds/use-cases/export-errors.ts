import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import { csvHeader, csvOfErrors, ERROR_COLUMNS, errorCells } from '../domain/error-sheet.ts';
import type { LoadKey, StoredError } from '../domain/load.ts';
import type { ErrorPlace } from '../ports/feed-store.port.ts';
import type { SheetWriter } from '../ports/sheet-writer.port.ts';
import type { LoadNotFound, ReadLoads } from './read-loads.ts';

export const EXPORT_FORMATS = ['csv', 'xlsx'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
/**
 * All stored errors of a load as a file, page by page: memory does not grow with their number. The bytes end with an error
 * if a page can't be read.
 */
export type ExportErrors = (
  key: LoadKey,
  format: ExportFormat,
) => ResultAsync<AsyncIterable<Uint8Array>, LoadNotFound | Unavailable>;

const PAGE = 1_000;

export const makeExportErrors = (
  { getLoad, listErrors }: Pick<ReadLoads, 'getLoad' | 'listErrors'>,
  workbook: SheetWriter,
): ExportErrors => {
  async function* pages(key: LoadKey): AsyncGenerator<readonly StoredError[]> {
    for (let after: ErrorPlace | undefined; ;) {
      const page = await listErrors(key, { limit: PAGE, ...(after ? { after } : {}) });
      if (page.isErr()) throw new Error(`the export was broken off: ${page.error.kind}`);
      yield page.value;
      const last = page.value.at(-1);
      if (!last || page.value.length < PAGE) return;
      after = { externalId: last.externalId, n: last.n };
    }
  }
  async function* csv(key: LoadKey): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    yield encoder.encode(`\uFEFF${csvHeader}`);
    for await (const page of pages(key)) if (page.length > 0) yield encoder.encode(csvOfErrors(page));
  }
  async function* rows(key: LoadKey) {
    for await (const page of pages(key)) yield page.map(errorCells);
  }
  return (key, format) =>
    getLoad(key).map(() => (format === 'csv' ? csv(key) : workbook.write(ERROR_COLUMNS, rows(key))));
};

import type { OfferError } from './load.ts';

const COLUMNS = ['external_id', 'title', 'level', 'code', 'path', 'message', 'value', 'line'] as const;

/** A text that a spreadsheet would take for a formula is quoted. */
const plainCell = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
const csvCell = (text: string): string => {
  const safe = plainCell(text);
  return /[",;\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;

export const csvHeader = csvLine(COLUMNS);
/** Errors as lines of CSV. No cell ever becomes a formula. */
export const csvOfErrors = (
  errors: readonly (Omit<OfferError, 'ordinal' | 'level'> & { readonly level: string })[],
): string =>
  errors
    .map(({ externalId, title = '', level, code, path, message, value = '', line }) =>
      csvLine([externalId, title, level, code, path, message, value, line === undefined ? '' : String(line)]),
    )
    .join('');

import type { OfferError } from './load.ts';

/** The columns of an export of errors. */
export const ERROR_COLUMNS: readonly string[] = [
  'external_id',
  'title',
  'level',
  'code',
  'path',
  'message',
  'value',
  'line',
];
export type ShownError = Omit<OfferError, 'ordinal' | 'level'> & { readonly level: string };
/** An error as the cells of a sheet. A line is a number. */
export const errorCells = ({
  externalId,
  title = '',
  level,
  code,
  path,
  message,
  value = '',
  line,
}: ShownError): readonly (string | number)[] => [
  externalId,
  title,
  level,
  code,
  path,
  message,
  value,
  line ?? '',
];

/** A text that a spreadsheet would take for a formula. */
export const isLikeFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text);
const csvCell = (cell: string | number): string => {
  const text = String(cell);
  const safe = typeof cell === 'string' && isLikeFormula(text) ? `'${text}` : text;
  return /[",;\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
const csvLine = (cells: readonly (string | number)[]): string => `${cells.map(csvCell).join(',')}\r\n`;

export const csvHeader = csvLine(ERROR_COLUMNS);
/** Errors as lines of CSV. No cell ever becomes a formula. */
export const csvOfErrors = (errors: readonly ShownError[]): string =>
  errors.map((error) => csvLine(errorCells(error))).join('');

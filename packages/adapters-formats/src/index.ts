export { formatReader } from './format-reader.ts';
export { xlsxWriter, type WorkbookOptions } from './xlsx/workbook.ts';

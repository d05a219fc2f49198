export { formatReader } from './format-reader.ts';
export { xlsxWriter, type WorkbookOptions } from './xlsx/workbook.ts';
export { utf8Decoder } from './utf8-text.ts';

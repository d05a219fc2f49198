import { isLikeFormula } from '@doska/core/feeds';

/** A cell of a spreadsheet holds no more. */
const CELL_CHARS_MAX = 32_767;
/** Characters that XML can't have, and halves of a character. */
const IMPOSSIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;
const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };
const escaped = (text: string): string =>
  text
    .slice(0, CELL_CHARS_MAX)
    .replace(IMPOSSIBLE, '\ufffd')
    .replace(/[&<>\r]/g, (letter) => ESCAPED[letter]!);

/** A, B, …, Z, AA, … */
const columnName = (at: number): string =>
  (at < 26 ? '' : columnName(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26));
const cellXml = (cell: string | number, address: string): string => {
  if (cell === '') return '';
  if (typeof cell === 'number' && Number.isFinite(cell)) return `<c r="${address}"><v>${cell}</v></c>`;
  const text = String(cell);
  const style = isLikeFormula(text) ? ' s="1"' : '';
  return `<c r="${address}" t="inlineStr"${style}><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
};
/** Row `n`, from 1; its texts are in it, so that no table of texts has to be kept. Readers want the addresses. */
export const rowXml = (cells: readonly (string | number)[], n: number): string =>
  `<row r="${n}">${cells.map((cell, at) => cellXml(cell, `${columnName(at)}${n}`)).join('')}</row>`;

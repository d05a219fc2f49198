import readAllSheets, { readSheet as readXlsxFile } from 'read-excel-file/node';
import { describe, expect, test } from 'vitest';
import { defaultReadLimits } from '@doska/core/feeds';
import { okAsync } from 'neverthrow';
import { zippedFile } from '../zip.ts';
import { xlsxWriter, type WorkbookOptions } from './workbook.ts';

type Row = readonly (string | number)[];
async function* inPages(...pages: readonly (readonly Row[])[]) {
  yield* pages;
}
const bytesOf = async (
  rows: Parameters<ReturnType<typeof xlsxWriter>['write']>[1],
  options: WorkbookOptions = {},
): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of xlsxWriter(options).write(['id', 'text'], rows)) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** The first sheet as it is in the file. */
const sheetXml = async (file: Buffer): Promise<string> => {
  const source = {
    bytes: file.length,
    read: ({ from = 0, to }: { from?: number; to?: number } = {}) =>
      okAsync(inPieces(file.subarray(from, to))),
  };
  const { open } = await zippedFile(source, defaultReadLimits, (name) => name === 'xl/worksheets/sheet1.xml');
  const chunks: Uint8Array[] = [];
  for await (const chunk of open(() => {})) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};
async function* inPieces(file: Uint8Array) {
  yield file;
}

describe('a workbook', () => {
  test('[P1] a foreign reader reads the same texts and numbers', async () => {
    const rows: Row[] = [
      ['a', 'Велосипед «Урал» & <b>'],
      ['b', 7],
      ['', 'two\nlines  and blanks '],
      ['0012', '😀'],
    ];
    const file = await bytesOf(inPages(rows.slice(0, 1), [], rows.slice(1)));
    expect(await readXlsxFile(file, { trim: false })).toEqual([
      ['id', 'text'],
      ...rows.map((row) => row.map((cell) => (cell === '' ? null : cell))),
    ]);
  });
  test.each(['=1+1', '+7 900', '-5', '@sum', '\tx', '=HYPERLINK("http://a.test")'])(
    '[P1] the text %j stays a text, also when its cell is edited',
    async (text) => {
      const file = await bytesOf(inPages([[text, 'x']]));
      expect(await readXlsxFile(file, { trim: false })).toEqual([
        ['id', 'text'],
        [text, 'x'],
      ]);
      const sheet = await sheetXml(file);
      expect(sheet).not.toContain('<f');
      expect(sheet).toContain('t="inlineStr" s="1"');
    },
  );
  test('[P1] characters that XML does not have are replaced, and a cell is cut at the limit of spreadsheets', async () => {
    const file = await bytesOf(inPages([['a\u0000b\ud800', 'x'.repeat(40_000)]]));
    const [, row] = await readXlsxFile(file);
    expect(row).toEqual(['a\ufffdb\ufffd', 'x'.repeat(32_767)]);
  });
  test('[P1] a full sheet is followed by the next, each with its header', async () => {
    const rows = Array.from({ length: 10 }, (_, n): Row => [`${n}`, n]);
    const file = await bytesOf(inPages(rows.slice(0, 7), rows.slice(7)), { sheetRowsMax: 4 });
    const names = (await readAllSheets(file)).map(({ sheet }) => sheet);
    expect(names).toEqual(['Sheet1', 'Sheet2', 'Sheet3', 'Sheet4']);
    const sheets = await Promise.all(names.map((sheet) => readXlsxFile(file, sheet)));
    expect(sheets.map((sheet) => sheet.length)).toEqual([4, 4, 4, 2]);
    expect(sheets.flatMap((sheet) => sheet.slice(1))).toEqual(rows);
  });
  test('[P1] without rows there is a sheet with the header, and a full last sheet is the last', async () => {
    expect(await readXlsxFile(await bytesOf(inPages()))).toEqual([['id', 'text']]);
    const full = await bytesOf(
      inPages([
        ['1', 1],
        ['2', 2],
        ['3', 3],
      ]),
      { sheetRowsMax: 4 },
    );
    expect(await readAllSheets(full)).toHaveLength(1);
  });
  test('[P1] rows that fail end the file with an error, and rows that are not wanted any more are closed', async () => {
    let closed = 0;
    async function* failing() {
      yield [['a', 1]];
      throw new Error('away');
    }
    async function* endless() {
      try {
        for (;;) yield Array.from({ length: 1_000 }, (_, n) => ['a', n]);
      } finally {
        closed += 1;
      }
    }
    await expect(bytesOf(failing())).rejects.toThrow('away');
    let bytes = 0;
    for await (const chunk of xlsxWriter().write(['a'], endless()))
      if ((bytes += chunk.length) > 10_000) break;
    expect(closed).toBe(1);
  });
  test('[P1] memory does not grow with the rows', async () => {
    async function* many() {
      for (let page = 0; page < 200; page++)
        yield Array.from({ length: 1_000 }, (_, n): Row => [`offer-${page}-${n}`, 'x'.repeat(100)]);
    }
    let bytes = 0;
    let most = 0;
    for await (const chunk of xlsxWriter().write(['a', 'b'], many())) {
      bytes += chunk.length;
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }
    expect(bytes).toBeGreaterThan(100_000);
    expect(most).toBeLessThan(64 << 20);
  });
});

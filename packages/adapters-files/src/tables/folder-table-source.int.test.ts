import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TableRow } from '@doska/core/search';
import { tableSourceContract } from '@doska/core/search/testing';
import { folderTableSource, readTableFile } from './folder-table-source.ts';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'doska-tables-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const write = (path: string, text: string | Uint8Array): string => {
  const file = join(dir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};
const csvOf = (rows: readonly TableRow['values'][]): string =>
  ['offer_id,ctr', ...rows.map((row) => `${row['offer_id']},${row['ctr']}`), ''].join('\n');
const ndjsonOf = (rows: readonly TableRow['values'][]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const source = () => folderTableSource(dir, { nowMs: () => Date.now(), settleMs: -1_000 });

for (const [ext, textOf] of [
  ['csv', csvOf],
  ['ndjson', ndjsonOf],
] as const)
  tableSourceContract(`folder, ${ext}`, {
    nameOf: (n) => `table-${n}.${ext}`,
    open: async () => ({
      source: source(),
      put: async (kind, name, rows) => void write(`${kind}/${name}`, textOf(rows)),
      remove: async (kind, name) => rmSync(join(dir, kind, name)),
      close: async () => {},
    }),
  });

describe('a table of the folder', () => {
  const GOOD = 'offer_id,ctr\na,0.1\nb,0.2\n';
  test.each<[string, string, string | Uint8Array, number, string]>([
    ['cut in the middle of a line', 't.csv', GOOD.slice(0, -2), 3, 'the line has no end: the table is cut'],
    [
      'cut between two lines',
      't.csv',
      'offer_id,ctr\na,0.1\n# rows: 2\n',
      3,
      'the table has 1 rows, its last line says 2',
    ],
    ['without anything', 't.csv', '', 1, 'the table is empty: it has no columns'],
    [
      'with a cell too few',
      't.csv',
      'offer_id,ctr\na,0.1\nb\n',
      3,
      'the line has 1 cells, and there are 2 columns',
    ],
    [
      'with a cell too many',
      't.csv',
      'offer_id,ctr\na,0.1,9\n',
      2,
      'the line has 3 cells, and there are 2 columns',
    ],
    ['with an open quote', 't.csv', 'offer_id,ctr\n"a,0.1\n', 2, 'cell 1 has no closing quote'],
    ['with the same column twice', 't.csv', 'a,a\n', 1, 'the columns need names, and each its own'],
    [
      'with rows behind its end',
      't.csv',
      'a\nx\n# rows: 1\ny\n',
      4,
      'there are rows behind the end of the table',
    ],
    ['that is no UTF-8', 't.csv', Buffer.from([97, 10, 255, 10]), 2, 'the line is no UTF-8 text'],
    ['with an endless line', 't.csv', `a\n${'x'.repeat(200_000)}`, 2, 'the line is longer than 65536 bytes'],
    ['that is no JSON', 't.ndjson', '{"offer_id":"a"}\n{"offer_id":\n', 2, 'the line is no JSON'],
    ['with a list for an object', 't.ndjson', '[1]\n', 1, 'the line is no JSON object'],
    ['with another ending', 't.txt', GOOD, 0, 'the name of the file must end in .csv, .ndjson or .jsonl'],
  ])('[S5] %s is refused with its line', async (_, name, text, line, message) => {
    const read = await readTableFile(write(`weekly/${name}`, text), '', 100);
    expect(read._unsafeUnwrapErr()).toEqual({ kind: 'BadTable', line, message });
  });
  test('[S5] may have quotes, spaces, empty lines, a mark of its encoding and other line ends', async () => {
    const text = '\uFEFFoffer_id, "the ctr"\r\n"a ""x"", b" , 0.1\r\n\r\nc,\r\n# rows: 2\r\n';
    const page = (await readTableFile(write('weekly/t.csv', text), '', 100))._unsafeUnwrap();
    expect(page).toEqual({
      rows: [
        { line: 2, values: { offer_id: 'a "x", b', 'the ctr': '0.1' } },
        { line: 4, values: { offer_id: 'c', 'the ctr': '' } },
      ],
      next: undefined,
    });
  });
  test('[S5] that is longer than what is read at once keeps every line', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => ({ offer_id: `offer-${n}`, ctr: n }));
    const file = write('weekly/t.csv', `${csvOf(rows)}# rows: 20000\n`);
    const read: unknown[] = [];
    for (let cursor = ''; ;) {
      const page = (await readTableFile(file, cursor, 3_001))._unsafeUnwrap();
      read.push(...page.rows.map(({ values }) => Number(values['ctr'])));
      if (page.next === undefined) break;
      cursor = page.next;
    }
    expect(read).toEqual(rows.map(({ ctr }) => ctr));
  });
  test('[S5] that may still be written is not listed, nor is one under another name', async () => {
    write('hourly/t.csv', GOOD);
    write('hourly/.hidden.csv', GOOD);
    write('hourly/t.csv.part', GOOD);
    const young = folderTableSource(dir, { nowMs: () => Date.now(), settleMs: 60_000 });
    expect((await young.list('hourly'))._unsafeUnwrap()).toEqual([]);
    expect((await source().list('hourly'))._unsafeUnwrap().map(({ name }) => name)).toEqual(['t.csv']);
  });
});

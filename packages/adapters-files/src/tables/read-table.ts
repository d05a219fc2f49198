import type { FileHandle } from 'node:fs/promises';
import { badLine, type BadTable, type TablePage, type TableRow } from '@doska/core/search';
import { err, ok, type Result } from 'neverthrow';
import { readLines } from './read-lines.ts';
import type { TableFormat } from './table-format.ts';

/** Where a table goes on: the next byte, the lines and the rows before it. */
type Place = { readonly offset: number; readonly lines: number; readonly rows: number };
const START: Place = { offset: 0, lines: 0, rows: 0 };
const CURSOR = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/;
const placeOf = (cursor: string): Place | undefined => {
  if (cursor === '') return START;
  const [, offset, lines, rows] = CURSOR.exec(cursor) ?? [];
  return offset === undefined
    ? undefined
    : { offset: Number(offset), lines: Number(lines), rows: Number(rows) };
};
const cursorOf = ({ offset, lines, rows }: Place): string => `${offset}.${lines}.${rows}`;

/** A table may end in a line that tells how many rows it has. Then a table that lacks some is found. */
const END = /^#\s*rows:\s*(\d{1,15})$/;
const BOM = '\uFEFF';

const columnsOf = async (
  file: FileHandle,
  format: TableFormat,
): Promise<Result<{ readonly columns: readonly string[]; readonly place: Place }, BadTable>> => {
  if (!format.hasHeader) return ok({ columns: [], place: START });
  for await (const line of readLines(file, 0)) {
    const columns = line.andThen(({ text }) =>
      format.header(text.startsWith(BOM) ? text.slice(BOM.length) : text),
    );
    if (line.isErr() || columns.isErr())
      return err(badLine({ line: 1, message: columns._unsafeUnwrapErr().message }));
    return ok({ columns: columns.value, place: { offset: line.value.nextOffset, lines: 1, rows: 0 } });
  }
  return err(badLine({ line: 1, message: 'the table is empty: it has no columns' }));
};

/** The rows of an open file from a cursor on. */
export const readTable = async (
  file: FileHandle,
  format: TableFormat,
  cursor: string,
  limit: number,
): Promise<Result<TablePage, BadTable>> => {
  const given = placeOf(cursor);
  if (!given) return err(badLine({ line: 0, message: 'the cursor is none of this table' }));
  const header = await columnsOf(file, format);
  if (header.isErr()) return err(header.error);
  const { columns } = header.value;
  let place = cursor === '' ? header.value.place : given;
  let end: number | undefined;
  const rows: TableRow[] = [];
  for await (const line of readLines(file, place.offset)) {
    if (rows.length >= limit) return ok({ rows, next: cursorOf(place) });
    const lines = place.lines + 1;
    const wrong = (message: string): Result<never, BadTable> => err(badLine({ line: lines, message }));
    if (line.isErr()) return wrong(line.error.message);
    const { text, nextOffset } = line.value;
    place = { ...place, offset: nextOffset, lines };
    if (text.trim() === '') continue;
    if (end !== undefined) return wrong('there are rows behind the end of the table');
    const told = END.exec(text)?.[1];
    if (told !== undefined) {
      end = Number(told);
      if (end !== place.rows) return wrong(`the table has ${place.rows} rows, its last line says ${end}`);
      continue;
    }
    const values = format.row(text, columns);
    if (values.isErr()) return wrong(values.error.message);
    rows.push({ line: lines, values: values.value });
    place = { ...place, rows: place.rows + 1 };
  }
  return ok({ rows, next: undefined });
};

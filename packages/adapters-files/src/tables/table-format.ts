import { err, ok, type Result } from 'neverthrow';
import type { TableRow } from '@doska/core/search';

export type RowProblem = { readonly message: string };
type Values = TableRow['values'];
/** How the lines of a file become rows. */
export type TableFormat = {
  /** The first line names the columns. */
  readonly hasHeader: boolean;
  readonly header: (line: string) => Result<readonly string[], RowProblem>;
  readonly row: (line: string, columns: readonly string[]) => Result<Values, RowProblem>;
};

const QUOTED = /^\s*"((?:[^"]|"")*)"\s*(?:,|$)/;
/** Cells between commas. A cell in quotes may hold commas, and a quote as two of them. */
const cellsOf = (line: string): Result<readonly string[], RowProblem> => {
  const cells: string[] = [];
  for (let rest: string | undefined = line; rest !== undefined;) {
    if (rest.trimStart().startsWith('"')) {
      const found: RegExpExecArray | null = QUOTED.exec(rest);
      if (!found) return err({ message: `cell ${cells.length + 1} has no closing quote` });
      cells.push(found[1]!.replaceAll('""', '"'));
      rest = found[0].endsWith(',') ? rest.slice(found[0].length) : undefined;
    } else {
      const comma: number = rest.indexOf(',');
      cells.push((comma < 0 ? rest : rest.slice(0, comma)).trim());
      rest = comma < 0 ? undefined : rest.slice(comma + 1);
    }
  }
  return ok(cells);
};
const csv: TableFormat = {
  hasHeader: true,
  header: (line) =>
    cellsOf(line).andThen((columns) =>
      new Set(columns).size === columns.length && columns.every((name) => name !== '')
        ? ok(columns)
        : err({ message: 'the columns need names, and each its own' }),
    ),
  row: (line, columns) =>
    cellsOf(line).andThen((cells) =>
      cells.length === columns.length
        ? ok(Object.fromEntries(columns.map((name, at) => [name, cells[at]!])))
        : err({ message: `the line has ${cells.length} cells, and there are ${columns.length} columns` }),
    ),
};
const ndjson: TableFormat = {
  hasHeader: false,
  header: () => ok([]),
  row: (line) => {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return err({ message: 'the line is no JSON' });
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return err({ message: 'the line is no JSON object' });
    const cells = Object.entries(value).filter(
      (cell): cell is [string, string | number] => typeof cell[1] === 'string' || typeof cell[1] === 'number',
    );
    return ok(Object.fromEntries(cells));
  },
};
const FORMATS: Readonly<Record<string, TableFormat>> = { csv, ndjson, jsonl: ndjson };

/** By the end of the file's name. Undefined: the file is no table. */
export const formatOf = (name: string): TableFormat | undefined =>
  FORMATS[/\.([a-z]+)$/.exec(name)?.[1] ?? ''];

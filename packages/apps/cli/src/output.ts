import { painted, terminalOf, type Terminal } from './terminal.ts';
import { cutTo, padded, textWidth } from './text-width.ts';

/** Tables for people. */
export type Row = Readonly<Record<string, string | number | undefined>>;

const GAP = '  ';
/** A column is not made narrower than this. */
const NARROWEST = 6;
const stdout = (): Terminal => terminalOf(process.stdout, process.env);
const cell = (value: string | number | undefined): string =>
  value === undefined ? '-' : String(value).replace(/\s+/g, ' ');

/** Takes width from the widest columns until all fit. */
const fitted = (wanted: readonly number[], columns: number | undefined): readonly number[] => {
  const widths = [...wanted];
  if (columns === undefined) return widths;
  const room = columns - GAP.length * (widths.length - 1);
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= NARROWEST) break;
    widths[widest]! -= 1;
  }
  return widths;
};

export const table = (columns: readonly string[], rows: readonly Row[], terminal = stdout()): string => {
  const widths = fitted(
    columns.map((column) => Math.max(textWidth(column), ...rows.map((row) => textWidth(cell(row[column]))))),
    terminal.columns,
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, i) => padded(cutTo(text, widths[i] ?? 0), widths[i] ?? 0))
      .join(GAP)
      .trimEnd();
  return [
    painted(terminal, 'bold', line(columns)),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map((row) => line(columns.map((column) => cell(row[column])))),
  ].join('\n');
};

/** "3 m ago", "in 20 s". */
export const relative = (atMs: number | undefined, nowMs: number): string => {
  if (atMs === undefined) return '-';
  const seconds = Math.round(Math.abs(nowMs - atMs) / 1000);
  const text =
    seconds < 120
      ? `${seconds} s`
      : seconds < 7_200
        ? `${Math.round(seconds / 60)} m`
        : `${Math.round(seconds / 3_600)} h`;
  return atMs > nowMs ? `in ${text}` : `${text} ago`;
};

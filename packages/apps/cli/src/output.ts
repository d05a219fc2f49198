/** Tables for people. */
export type Row = Readonly<Record<string, string | number | undefined>>;

const cell = (value: string | number | undefined): string => (value === undefined ? '-' : String(value));

export const table = (columns: readonly string[], rows: readonly Row[]): string => {
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map((row) => cell(row[column]).length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, i) => text.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return [
    line(columns),
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

import type { BrokenFile } from '@doska/core/feeds';

/** Thrown inside of a reader and turned into a value at its edge. */
export class FileProblem extends Error {
  readonly broken: BrokenFile;
  constructor(
    code: string,
    message: string,
    place: { readonly line?: number; readonly column?: number } = {},
  ) {
    super(message);
    const { line, column } = place;
    const where =
      line === undefined ? '' : `line ${line}${column === undefined ? '' : `, column ${column}`}: `;
    this.broken = { kind: 'BrokenFile', fatal: { code, message: `${where}${message}`, line, column } };
  }
}

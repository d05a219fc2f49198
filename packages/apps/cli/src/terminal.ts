/** What a command may print: how wide a line may be, and whether colours are shown. */
export type Terminal = {
  /** Undefined where the output goes to a file or a program: then nothing is cut. */
  readonly columns: number | undefined;
  readonly colors: boolean;
};
type Stream = { readonly isTTY?: boolean; readonly columns?: number };

/** https://no-color.org: any text in `NO_COLOR` turns colours off. */
export const terminalOf = (stream: Stream, env: NodeJS.ProcessEnv): Terminal => {
  const isTerminal = stream.isTTY === true;
  const refused = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return {
    columns: isTerminal && stream.columns ? stream.columns : undefined,
    colors: isTerminal && !refused,
  };
};

const CODES = { red: 31, green: 32, bold: 1, dim: 2 } as const;
export const painted = ({ colors }: Terminal, color: keyof typeof CODES, text: string): string =>
  colors && text !== '' ? `\u001b[${CODES[color]}m${text}\u001b[0m` : text;

import { YqlError } from '../yql-error.ts';

export type Token = {
  readonly kind: 'word' | 'quoted' | 'parameter' | 'integer' | 'float' | 'string' | 'sign' | 'end';
  /** Words and signs as written; quoted names, parameters and strings without their decoration. */
  readonly text: string;
  /** Of numbers and strings: `ul`, `u`, `j`, …; empty when there is none. */
  readonly suffix: string;
  readonly at: number;
};

const SPACE = /(?:\s+|--[^\n]*|\/\*[^]*?\*\/)+/y;
const SIGNS = /::|<>|!=|==|<=|>=|\|\||[-+*/%()<>=,.;:?]/y;
const PATTERNS = [
  ['word', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['quoted', /`((?:[^`\\])+)`/y],
  ['parameter', /\$([A-Za-z_][A-Za-z0-9_]*)/y],
  ['float', /(\d+\.\d+(?:[eE][-+]?\d+)?)(?![A-Za-z0-9_])/y],
  ['integer', /(\d+)(ul|u|l|s|us|t|ut)?(?![A-Za-z0-9_])/y],
  ['string', /"((?:[^"\\\n]|\\.)*)"(u|s|j|y)?(?![A-Za-z0-9_])/y],
  ['string', /'((?:[^'\\\n]|\\.)*)'(u|s|j|y)?(?![A-Za-z0-9_])/y],
] as const;

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  '"': '"',
  "'": "'",
};
const unescaped = (text: string, at: number): string =>
  text.replace(/\\(.)/g, (_, symbol: string) => {
    const meant = ESCAPES[symbol];
    if (meant === undefined) throw YqlError.unsupported(`the escape \\${symbol} at ${at}`);
    return meant;
  });

const match = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};
const nextToken = (text: string, at: number): [Token, number] => {
  for (const [kind, pattern] of PATTERNS) {
    const found = match(pattern, text, at);
    if (!found) continue;
    const inner = found[1] ?? found[0];
    const token = {
      kind,
      text: kind === 'string' ? unescaped(inner, at) : inner,
      suffix: found[2] ?? '',
      at,
    };
    return [token, at + found[0].length];
  }
  const sign = match(SIGNS, text, at);
  if (!sign) throw YqlError.syntax(`unexpected ${JSON.stringify(text[at])} at ${at}`);
  return [{ kind: 'sign', text: sign[0], suffix: '', at }, at + sign[0].length];
};

/** All of the text or an error: nothing is skipped but spaces and comments. */
export const tokensOf = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  for (let at = 0; ;) {
    at += match(SPACE, text, at)?.[0].length ?? 0;
    if (at >= text.length) return [...tokens, { kind: 'end', text: '', suffix: '', at }];
    const [token, next] = nextToken(text, at);
    tokens.push(token);
    at = next;
  }
};

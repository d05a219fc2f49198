import type { Expression, Rows, Statement } from './ast.ts';
import { parseExpression } from './parse-expression.ts';
import { parseSelect } from './parse-select.ts';
import type { TokenStream } from './token-stream.ts';

const rows = (tokens: TokenStream): Rows => {
  if (tokens.isWord('SELECT')) return { kind: 'select', select: parseSelect(tokens) };
  tokens.needWords('VALUES');
  const row = (): Expression[] => tokens.inParentheses(() => tokens.list(() => parseExpression(tokens)));
  return { kind: 'values', rows: tokens.list(row) };
};
const returning = (tokens: TokenStream): boolean => {
  if (!tokens.words('RETURNING')) return false;
  if (!tokens.sign('*')) tokens.list(() => tokens.name('a column'));
  return true;
};
const where = (tokens: TokenStream): Expression | undefined =>
  tokens.words('WHERE') ? parseExpression(tokens) : undefined;

export const parseInto = (tokens: TokenStream, verb: 'UPSERT' | 'REPLACE' | 'INSERT'): Statement => {
  tokens.needWords(verb, 'INTO');
  const table = tokens.name('a table');
  const names = (): string[] => tokens.inParentheses(() => tokens.list(() => tokens.name('a column')));
  const columns = tokens.isSign('(') ? names() : undefined;
  return { kind: 'write', verb, table, columns, rows: rows(tokens), returning: returning(tokens) };
};
export const parseUpdate = (tokens: TokenStream): Statement => {
  tokens.needWords('UPDATE');
  const table = tokens.name('a table');
  if (tokens.words('ON'))
    return { kind: 'updateOn', table, rows: rows(tokens), returning: returning(tokens) };
  tokens.needWords('SET');
  const assignment = (): [string, Expression] => {
    const column = tokens.name('a column');
    tokens.needSign('=');
    return [column, parseExpression(tokens)];
  };
  const set = tokens.list(assignment);
  return { kind: 'update', table, set, where: where(tokens), returning: returning(tokens) };
};
export const parseDelete = (tokens: TokenStream): Statement => {
  tokens.needWords('DELETE', 'FROM');
  const table = tokens.name('a table');
  if (tokens.words('ON'))
    return { kind: 'deleteOn', table, rows: rows(tokens), returning: returning(tokens) };
  return { kind: 'delete', table, where: where(tokens), returning: returning(tokens) };
};

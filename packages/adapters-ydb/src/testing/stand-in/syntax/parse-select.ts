import type { Join, Select, SelectItem, Source } from './ast.ts';
import { parseExpression } from './parse-expression.ts';
import type { TokenStream } from './token-stream.ts';

const item = (tokens: TokenStream): SelectItem => {
  if (tokens.sign('*')) return { kind: 'star', source: undefined };
  if (tokens.isName() && tokens.isSign('.', 1) && tokens.isSign('*', 2)) {
    const source = tokens.name();
    tokens.take();
    tokens.take();
    return { kind: 'star', source };
  }
  const value = parseExpression(tokens);
  return { kind: 'value', value, alias: tokens.words('AS') ? tokens.name() : undefined };
};
/** An alias needs its AS, and comes after VIEW. */
const source = (tokens: TokenStream): Source => {
  const alias = (): string | undefined => (tokens.words('AS') ? tokens.name() : undefined);
  if (tokens.isSign('(')) {
    const select = tokens.inParentheses(() => parseSelect(tokens));
    return { kind: 'select', select, alias: alias() };
  }
  if (tokens.peek().kind === 'parameter') {
    const name = tokens.parameter();
    return { kind: 'named', name, alias: alias() };
  }
  if (tokens.isWord('AS_TABLE') && tokens.isSign('(', 1)) {
    tokens.take();
    const value = tokens.inParentheses(() => parseExpression(tokens));
    return { kind: 'list', value, alias: alias() };
  }
  const path = tokens.name('a table');
  const view = tokens.words('VIEW') ? tokens.name('an index') : undefined;
  return { kind: 'table', path, view, alias: alias() };
};
const joinKind = (tokens: TokenStream): Join['kind'] | undefined => {
  if (tokens.words('LEFT', 'JOIN')) return 'LEFT';
  return tokens.words('INNER', 'JOIN') || tokens.words('JOIN') ? 'INNER' : undefined;
};
const joins = (tokens: TokenStream): Join[] => {
  const found: Join[] = [];
  for (let kind = joinKind(tokens); kind; kind = joinKind(tokens)) {
    const joined = source(tokens);
    tokens.needWords('ON');
    found.push({ kind, source: joined, on: parseExpression(tokens) });
  }
  return found;
};
const ordering = (tokens: TokenStream): Select['orderBy'][number] => {
  const value = parseExpression(tokens);
  const descending = tokens.words('DESC');
  if (!descending) tokens.words('ASC');
  return { value, descending };
};

/** From SELECT to OFFSET, in the only order that YDB takes. */
export const parseSelect = (tokens: TokenStream): Select => {
  tokens.needWords('SELECT');
  const distinct = tokens.words('DISTINCT');
  const items = tokens.list(() => item(tokens));
  const from = tokens.words('FROM') ? source(tokens) : undefined;
  return {
    distinct,
    items,
    from,
    joins: from ? joins(tokens) : [],
    where: from && tokens.words('WHERE') ? parseExpression(tokens) : undefined,
    groupBy: from && tokens.words('GROUP', 'BY') ? tokens.list(() => parseExpression(tokens)) : [],
    having: from && tokens.words('HAVING') ? parseExpression(tokens) : undefined,
    orderBy: from && tokens.words('ORDER', 'BY') ? tokens.list(() => ordering(tokens)) : [],
    limit: tokens.words('LIMIT') ? parseExpression(tokens) : undefined,
    offset: tokens.words('OFFSET') ? parseExpression(tokens) : undefined,
  };
};

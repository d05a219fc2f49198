import type { Expression, Select, Statement } from './ast.ts';
import { parseExpression } from './parse-expression.ts';
import { parseSchema } from './parse-schema.ts';
import { parseSelect } from './parse-select.ts';
import { parseType } from './parse-type.ts';
import { parseDelete, parseInto, parseUpdate } from './parse-write.ts';
import { TokenStream } from './token-stream.ts';

const pragma = (tokens: TokenStream): Statement => {
  tokens.needWords('PRAGMA');
  const name = tokens.name('a pragma');
  const value = tokens.sign('=') ? tokens.string() : tokens.inParentheses(() => tokens.string());
  return { kind: 'pragma', name, value };
};
const declare = (tokens: TokenStream): Statement => {
  tokens.needWords('DECLARE');
  const name = tokens.parameter();
  tokens.needWords('AS');
  return { kind: 'declare', name, type: parseType(tokens) };
};
const assign = (tokens: TokenStream): Statement => {
  const name = tokens.parameter();
  tokens.needSign('=');
  const value: Expression | Select =
    tokens.isSign('(') && tokens.isWord('SELECT', 1)
      ? tokens.inParentheses(() => parseSelect(tokens))
      : tokens.isWord('SELECT')
        ? parseSelect(tokens)
        : parseExpression(tokens);
  return { kind: 'assign', name, value };
};
const statement = (tokens: TokenStream): Statement => {
  if (tokens.peek().kind === 'parameter') return assign(tokens);
  switch (tokens.peek().text.toUpperCase()) {
    case 'PRAGMA':
      return pragma(tokens);
    case 'DECLARE':
      return declare(tokens);
    case 'SELECT':
      return { kind: 'select', select: parseSelect(tokens) };
    case 'UPSERT':
      return parseInto(tokens, 'UPSERT');
    case 'REPLACE':
      return parseInto(tokens, 'REPLACE');
    case 'INSERT':
      return parseInto(tokens, 'INSERT');
    case 'UPDATE':
      return parseUpdate(tokens);
    case 'DELETE':
      return parseDelete(tokens);
    case 'CREATE':
    case 'ALTER':
    case 'DROP':
      return parseSchema(tokens);
    default:
      return tokens.fail('a statement');
  }
};

/** The statements of a text, all of it; a text that YDB would refuse is refused, and so is what is unknown here. */
export const parseYql = (text: string): readonly Statement[] => {
  const tokens = new TokenStream(text);
  const statements: Statement[] = [];
  for (;;) {
    while (tokens.sign(';'));
    if (tokens.peek().kind === 'end') return statements;
    statements.push(statement(tokens));
    if (tokens.peek().kind !== 'end' && !tokens.isSign(';')) tokens.fail('; or the end');
  }
};

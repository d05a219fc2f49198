import type { Argument, BinaryOperator, Expression } from './ast.ts';
import { parseType } from './parse-type.ts';
import type { TokenStream } from './token-stream.ts';

const COMPARISONS: Readonly<Record<string, BinaryOperator>> = {
  '=': '=',
  '==': '=',
  '<>': '<>',
  '!=': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};
const binary = (operator: BinaryOperator, left: Expression, right: Expression): Expression => ({
  kind: 'binary',
  operator,
  left,
  right,
});

const callOf = (tokens: TokenStream, name: string): Expression => {
  tokens.needSign('(');
  if (tokens.sign('*')) {
    tokens.needSign(')');
    return { kind: 'call', name, args: [], star: true, distinct: false };
  }
  const distinct = tokens.words('DISTINCT');
  const argument = (): Argument => {
    const value = parseExpression(tokens);
    return { value, name: tokens.words('AS') ? tokens.name() : undefined };
  };
  const args = tokens.isSign(')') ? [] : tokens.list(argument);
  tokens.needSign(')');
  return { kind: 'call', name, args, star: false, distinct };
};
const caseOf = (tokens: TokenStream): Expression => {
  const operand = tokens.isWord('WHEN') ? undefined : parseExpression(tokens);
  const branches: [Expression, Expression][] = [];
  while (tokens.words('WHEN')) {
    const when = parseExpression(tokens);
    tokens.needWords('THEN');
    branches.push([when, parseExpression(tokens)]);
  }
  if (branches.length === 0) tokens.fail('WHEN');
  const otherwise = tokens.words('ELSE') ? parseExpression(tokens) : undefined;
  tokens.needWords('END');
  return { kind: 'case', operand, branches, otherwise };
};
const castOf = (tokens: TokenStream): Expression =>
  tokens.inParentheses(() => {
    const operand = parseExpression(tokens);
    tokens.needWords('AS');
    return { kind: 'cast', operand, type: parseType(tokens) };
  });
const parenthesised = (tokens: TokenStream): Expression => {
  const items = tokens.inParentheses(() => tokens.list(() => parseExpression(tokens)));
  return items.length === 1 ? items[0]! : { kind: 'tuple', items };
};
/** `column`, `alias.column`, `Function(…)`, `Module::Function(…)`. */
const named = (tokens: TokenStream): Expression => {
  const first = tokens.name('an expression');
  if (tokens.sign('::')) {
    const inner = tokens.name('a function');
    return tokens.isSign('(') ? callOf(tokens, `${first}::${inner}`) : tokens.fail('(');
  }
  if (tokens.isSign('(')) return callOf(tokens, first);
  if (tokens.sign('.')) return { kind: 'column', source: first, name: tokens.name('a column') };
  return { kind: 'column', source: undefined, name: first };
};
const primary = (tokens: TokenStream): Expression => {
  const { kind, text, suffix } = tokens.peek();
  if (kind === 'integer' || kind === 'float' || kind === 'string') {
    tokens.take();
    return { kind: 'literal', type: kind, text, suffix };
  }
  if (kind === 'parameter') return { kind: 'parameter', name: tokens.parameter() };
  if (tokens.isSign('(')) return parenthesised(tokens);
  if (tokens.words('NULL')) return { kind: 'null' };
  if (tokens.words('CASE')) return caseOf(tokens);
  if (tokens.words('CAST')) return castOf(tokens);
  if (tokens.isWord('TRUE') || tokens.isWord('FALSE'))
    return { kind: 'boolean', value: tokens.take().text.toUpperCase() === 'TRUE' };
  return named(tokens);
};
const unary = (tokens: TokenStream): Expression =>
  tokens.sign('-') ? { kind: 'minus', operand: unary(tokens) } : primary(tokens);

const chain =
  (operators: readonly BinaryOperator[], next: (tokens: TokenStream) => Expression) =>
  (tokens: TokenStream): Expression => {
    let left = next(tokens);
    for (;;) {
      const operator = operators.find((one) => tokens.isSign(one));
      if (!operator) return left;
      tokens.take();
      left = binary(operator, left, next(tokens));
    }
  };
const product = chain(['*', '/', '%'], unary);
const sum = chain(['+', '-', '||'], product);

const comparison = (tokens: TokenStream): Expression => {
  const left = sum(tokens);
  const sign = tokens.peek().kind === 'sign' ? COMPARISONS[tokens.peek().text] : undefined;
  if (sign) {
    tokens.take();
    return binary(sign, left, sum(tokens));
  }
  if (tokens.words('IS')) {
    const negated = tokens.words('NOT');
    tokens.needWords('NULL');
    return { kind: 'isNull', operand: left, negated };
  }
  const negated = tokens.words('NOT');
  if (tokens.words('IN')) return { kind: 'in', operand: left, list: sum(tokens), negated };
  if (negated) tokens.fail('IN');
  if (tokens.words('BETWEEN')) {
    const low = sum(tokens);
    tokens.needWords('AND');
    return { kind: 'between', operand: left, low, high: sum(tokens) };
  }
  if (tokens.words('LIKE') || tokens.words('ILIKE')) {
    const pattern = sum(tokens);
    if (tokens.words('ESCAPE')) tokens.string();
    return { kind: 'like', operand: left, pattern };
  }
  return left;
};
const negation = (tokens: TokenStream): Expression =>
  tokens.words('NOT') ? { kind: 'not', operand: negation(tokens) } : comparison(tokens);
const conjunction = (tokens: TokenStream): Expression => {
  let left = negation(tokens);
  while (tokens.words('AND')) left = binary('AND', left, negation(tokens));
  return left;
};
export const parseExpression = (tokens: TokenStream): Expression => {
  let left = conjunction(tokens);
  while (tokens.words('OR')) left = binary('OR', left, conjunction(tokens));
  return left;
};

import { YqlError } from '../yql-error.ts';
import { tokensOf, type Token } from './tokens.ts';

/** Words that are never names, unless they are quoted. `ANY` is one, so that `= ANY($x)` is refused as YDB does. */
const RESERVED = new Set(
  `ALTER AND ANY AS BETWEEN BY CASE CAST CREATE CROSS DECLARE DELETE DISTINCT DROP ELSE END ESCAPE EXCEPT EXISTS FILTER
  FOR FROM FULL GROUP HAVING ILIKE IN INNER INSERT INTERSECT INTO IS JOIN LEFT LIKE LIMIT NOT NULL OFFSET ON OR ORDER
  OVER PRAGMA REPLACE RETURNING RIGHT SELECT SET THEN UNION UPDATE UPSERT USING VALUES VIEW WHEN WHERE WINDOW WITH`.split(
    /\s+/,
  ),
);

/** Tokens with one look ahead; every mistake says where. */
export class TokenStream {
  readonly #tokens: readonly Token[];
  #next = 0;
  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }
  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)]!;
  }
  take(): Token {
    const token = this.peek();
    if (token.kind !== 'end') this.#next++;
    return token;
  }
  fail(expected: string): never {
    const { kind, text, at } = this.peek();
    throw YqlError.syntax(
      `expected ${expected} at ${at}, found ${kind === 'end' ? 'the end' : JSON.stringify(text)}`,
    );
  }
  isWord(word: string, ahead = 0): boolean {
    const { kind, text } = this.peek(ahead);
    return kind === 'word' && text.toUpperCase() === word;
  }
  isSign(sign: string, ahead = 0): boolean {
    const { kind, text } = this.peek(ahead);
    return kind === 'sign' && text === sign;
  }
  /** Takes the words if all of them stand here, one after another. */
  words(...words: readonly string[]): boolean {
    if (!words.every((word, i) => this.isWord(word, i))) return false;
    this.#next += words.length;
    return true;
  }
  sign(sign: string): boolean {
    if (!this.isSign(sign)) return false;
    this.#next++;
    return true;
  }
  needWords(...words: readonly string[]): void {
    if (!this.words(...words)) this.fail(words.join(' '));
  }
  needSign(sign: string): void {
    if (!this.sign(sign)) this.fail(sign);
  }
  isName(ahead = 0): boolean {
    const { kind, text } = this.peek(ahead);
    return kind === 'quoted' || (kind === 'word' && !RESERVED.has(text.toUpperCase()));
  }
  name(what = 'a name'): string {
    return this.isName() ? this.take().text : this.fail(what);
  }
  parameter(): string {
    return this.peek().kind === 'parameter' ? this.take().text : this.fail('$name');
  }
  string(): string {
    return this.peek().kind === 'string' ? this.take().text : this.fail('a string');
  }
  integer(): number {
    return this.peek().kind === 'integer' ? Number(this.take().text) : this.fail('a number');
  }
  list<T>(item: () => T): T[] {
    const items = [item()];
    while (this.sign(',')) items.push(item());
    return items;
  }
  inParentheses<T>(inner: () => T): T {
    this.needSign('(');
    const found = inner();
    this.needSign(')');
    return found;
  }
}

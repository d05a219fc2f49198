/** A place in a text, counted from 1. A column is a UTF-16 code unit, as editors count. */
export type Place = { readonly line: number; readonly column: number };

/** Thrown inside the parser only; `parseText` makes it a value. */
export class Unreadable extends Error {
  readonly place: Place;
  constructor(place: Place, message: string) {
    super(message);
    this.place = place;
  }
}

const BYTE_ORDER_MARK = 0xfeff;

/** A text with a position that knows its line. */
export class Source {
  readonly #text: string;
  #at = 0;
  #line = 1;
  #lineStart = 0;

  constructor(text: string) {
    this.#text = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  }
  get place(): Place {
    return { line: this.#line, column: this.#at - this.#lineStart + 1 };
  }
  get offset(): number {
    return this.#at;
  }
  /** The character `ahead` of the position; undefined behind the end. */
  peek(ahead = 0): string | undefined {
    return this.#text[this.#at + ahead];
  }
  take(): string | undefined {
    const c = this.#text[this.#at];
    if (c === undefined) return undefined;
    this.#at++;
    if (c === '\n') {
      this.#line++;
      this.#lineStart = this.#at;
    }
    return c;
  }
  takeWhile(accepts: (c: string | undefined) => boolean, charsMax = Infinity): string {
    const from = this.#at;
    while (this.#at - from < charsMax && accepts(this.peek())) this.take();
    return this.#text.slice(from, this.#at);
  }
  since(offset: number): string {
    return this.#text.slice(offset, this.#at);
  }
  fail(message: string, place = this.place): never {
    throw new Unreadable(place, message);
  }
}

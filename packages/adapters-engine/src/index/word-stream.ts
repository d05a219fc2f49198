const PAGE_BITS = 18;
const PAGE = 1 << PAGE_BITS;

/**
 * The terms of every document in their order, as variable-length numbers: what phrases are checked against, what tells
 * which terms a deleted document held, and what segments are rebuilt from. Frequent terms come first and get small
 * numbers, so a word takes about two bytes.
 */
export class WordStream {
  readonly pages: Uint8Array[] = [];
  #at = PAGE + 1;

  /** Appends one document: how many text fields, then for each the number of its words and their terms. Returns its place. */
  append(fields: readonly ArrayLike<number>[]): number {
    let most = 1;
    for (const terms of fields) most += 5 * (terms.length + 1);
    let at = this.#room(most);
    const page = this.pages[this.pages.length - 1]!;
    const start = (this.pages.length - 1) * PAGE + at;
    page[at++] = fields.length;
    for (const terms of fields) {
      at = write(page, at, terms.length);
      for (let word = 0; word < terms.length; word++) at = write(page, at, terms[word]!);
    }
    this.#at = at;
    return start;
  }

  /** A document that alone is larger than a page gets a page of its own size. */
  #room(bytes: number): number {
    if (this.#at + bytes <= PAGE) return this.#at;
    this.pages.push(new Uint8Array(Math.max(PAGE, bytes)));
    return (this.#at = 0);
  }

  /** The words of the document at `place`, field after field; in fields that came later it has none. */
  read(place: number, out: WordReader): void {
    const page = this.pages[Math.floor(place / PAGE)]!;
    let at = place % PAGE;
    out.length = 0;
    const fields = page[at++]!;
    for (let field = 0; field < fields; field++) {
      let words = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = page[at++]!;
        words |= (byte & 127) << shift;
        if (byte < 128) break;
      }
      out.ends[field] = out.length + words;
      out.reserve(out.length + words);
      for (let word = 0; word < words; word++) {
        let term = 0;
        for (let shift = 0; ; shift += 7) {
          const byte = page[at++]!;
          term |= (byte & 127) << shift;
          if (byte < 128) break;
        }
        out.terms[out.length++] = term;
      }
    }
    out.ends.fill(out.length, fields);
  }

  /** The pages without what is not yet written of the last one. */
  get written(): readonly Uint8Array[] {
    return this.pages.map((page, at) => (at === this.pages.length - 1 ? page.subarray(0, this.#at) : page));
  }

  get bytes(): number {
    return this.pages.reduce((sum, page) => sum + page.byteLength, 0);
  }
}

const write = (page: Uint8Array, at: number, value: number): number => {
  let left = value;
  while (left > 127) {
    page[at++] = (left & 127) | 128;
    left >>>= 7;
  }
  page[at] = left;
  return at + 1;
};

/** Where a document's words are read to; field `f` ends at `ends[f]`. */
export class WordReader {
  terms = new Uint32Array(256);
  length = 0;
  readonly ends = [0, 0, 0, 0];

  reserve(words: number): void {
    if (words <= this.terms.length) return;
    const larger = new Uint32Array(2 * words);
    larger.set(this.terms);
    this.terms = larger;
  }

  /** The words of one field. */
  field(at: number): Uint32Array {
    return this.terms.subarray(at === 0 ? 0 : this.ends[at - 1], this.ends[at]);
  }
}

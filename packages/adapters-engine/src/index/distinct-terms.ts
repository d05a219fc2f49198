import { TERM_COUNT_MAX } from '@doska/core/vasgen';
import { PagedIntegers } from './paged-integers.ts';

/** The distinct terms of one document with their counts, four bits a text field. Used again for every document. */
export class DistinctTerms {
  terms = new Uint32Array(256);
  counts = new Uint32Array(256);
  length = 0;
  readonly #seenBy = new PagedIntegers();
  readonly #placeOf = new PagedIntegers();
  #document = 0;

  collect(texts: readonly ArrayLike<number>[]): this {
    this.length = 0;
    this.#document = (this.#document + 1) | 0;
    for (let field = 0; field < texts.length; field++) {
      const text = texts[field]!;
      for (let word = 0; word < text.length; word++)
        if (text[word] !== 0) this.#count(text[word]!, 4 * field);
    }
    return this;
  }

  #count(term: number, shift: number): void {
    if (this.#seenBy.get(term) !== this.#document) {
      this.#seenBy.set(term, this.#document);
      this.#placeOf.set(term, this.length);
      if (this.length === this.terms.length) this.#grow();
      this.terms[this.length] = term;
      this.counts[this.length++] = 1 << shift;
      return;
    }
    const at = this.#placeOf.get(term);
    if (((this.counts[at]! >>> shift) & 15) < TERM_COUNT_MAX) this.counts[at]! += 1 << shift;
  }

  #grow(): void {
    const terms = this.terms;
    const counts = this.counts;
    this.terms = new Uint32Array(2 * terms.length);
    this.counts = new Uint32Array(2 * terms.length);
    this.terms.set(terms);
    this.counts.set(counts);
  }
}

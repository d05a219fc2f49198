import type { KnownWord } from '../spelling/word-index.ts';

/** The words of an index by their beginnings. */
export class WordPrefixes {
  readonly #words: readonly string[];
  readonly #documents: Uint32Array;

  /** `words` are in the order of their characters, as the index lists them. */
  constructor(words: readonly KnownWord[]) {
    this.#words = words.map(({ word }) => word);
    this.#documents = Uint32Array.from(words, ({ documents }) => documents);
  }

  get size(): number {
    return this.#words.length;
  }

  #firstFrom(prefix: string): number {
    let low = 0;
    let high = this.#words.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#words[middle]! < prefix) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The words that begin with `prefix`, those that most documents hold first, at most `limit`. Equal ones by their characters. */
  completions(prefix: string, limit: number): readonly KnownWord[] {
    const best: number[] = [];
    const isBefore = (a: number, b: number): boolean =>
      this.#documents[a]! > this.#documents[b]! || (this.#documents[a] === this.#documents[b] && a < b);
    for (
      let at = this.#firstFrom(prefix);
      at < this.#words.length && this.#words[at]!.startsWith(prefix);
      at++
    ) {
      if (best.length === limit && !isBefore(at, best[limit - 1]!)) continue;
      let place = best.length === limit ? limit - 1 : best.length;
      for (; place > 0 && isBefore(at, best[place - 1]!); place--) best[place] = best[place - 1]!;
      best[place] = at;
    }
    return best.map((at) => ({ word: this.#words[at]!, documents: this.#documents[at]! }));
  }
}

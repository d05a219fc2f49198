import { PagedIntegers } from './paged-integers.ts';
import { StringTable } from './string-table.ts';

/** Terms that begin alike stand together, so that an unfinished word looks at a few of them only. */
const HEAD_CHARS = 3;

/** Of a new word its term. */
type TermOf = (word: string) => string;

/** The terms of an index by number, with how many living documents hold each. Number 0 is no term: a hole. */
export class TermDictionary {
  readonly #ids = new StringTable();
  readonly #terms: string[] = [''];
  readonly #frequencies = new PagedIntegers();
  readonly #heads = new Map<string, number[]>();
  /** The term of each word that was ever read, 0 for stop words: a known word needs no stemmer. */
  readonly #termOfWord = new StringTable();
  readonly #words: string[] = [];

  /** The number of a term, a new one if it was never seen. */
  intern(term: string): number {
    if (term === '') return 0;
    const known = this.#ids.get(term);
    if (known !== undefined) return known;
    const id = this.#terms.length;
    this.#terms.push(term);
    this.#ids.set(term, id);
    const head = term.slice(0, HEAD_CHARS);
    const alike = this.#heads.get(head);
    if (alike) alike.push(id);
    else this.#heads.set(head, [id]);
    return id;
  }

  /** The number of the term of a word. */
  internWord(word: string, termOf: TermOf): number {
    const known = this.#termOfWord.get(word);
    if (known !== undefined) return known;
    const term = this.intern(termOf(word));
    this.addWord(word, term);
    return term;
  }

  addWord(word: string, term: number): void {
    this.#termOfWord.set(word, term);
    this.#words.push(word);
  }

  /** The words from number `from` up to but not including `to`, in the order they were met. */
  wordSlice(from: number, to: number): readonly string[] {
    return this.#words.slice(from, to);
  }
  termOfWord(word: string): number {
    return this.#termOfWord.get(word) ?? 0;
  }
  get wordCount(): number {
    return this.#words.length;
  }

  find(term: string): number {
    return term === '' ? 0 : (this.#ids.get(term) ?? 0);
  }

  /** The terms that begin with `prefix`. */
  startingWith(prefix: string): number[] {
    const found: number[] = [];
    const look = (ids: readonly number[]): void => {
      for (const id of ids) if (this.#terms[id]!.startsWith(prefix)) found.push(id);
    };
    if (prefix.length >= HEAD_CHARS) look(this.#heads.get(prefix.slice(0, HEAD_CHARS)) ?? []);
    else for (const [head, ids] of this.#heads) if (head.startsWith(prefix)) look(ids);
    return found;
  }

  frequency(id: number): number {
    return this.#frequencies.get(id);
  }

  count(id: number, more: number): void {
    this.#frequencies.add(id, more);
  }

  /** The terms with the numbers from `from` up to but not including `to`, in order. */
  slice(from: number, to: number): readonly string[] {
    return this.#terms.slice(from, to);
  }

  /** Numbers go below this. */
  get size(): number {
    return this.#terms.length;
  }

  get bytes(): number {
    return this.#ids.bytes + this.#termOfWord.bytes + this.#frequencies.bytes + this.#terms.length * 12;
  }
}

import { editCost } from './edit-cost.ts';

export type KnownWord = { readonly word: string; readonly documents: number };
export type NearWord = KnownWord & { readonly cost: number };

/** Letters from the start of a word that deletions are made of: enough, and it bounds their number. */
const PREFIX = 7;
/** Short words have too many neighbours to be corrected. */
export const editsMaxOf = (length: number): number => (length < 4 ? 0 : length < 7 ? 1 : 2);
/** A query may be longer than the word by its edits. */
const deletionsOf = (length: number): number => (length < 3 ? 0 : length < 5 ? 1 : 2);

/** FNV-1a over the letters of `text` but those at `skip` and `skip2`. */
const hashWithout = (text: string, end: number, skip: number, skip2: number): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < end; at++)
    if (at !== skip && at !== skip2) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
};
/** The hashes of the start of a word and of what is left of it without one or two letters. */
const eachDeletion = (word: string, deletions: number, take: (hash: number) => void): void => {
  const end = Math.min(word.length, PREFIX);
  take(hashWithout(word, end, -1, -1));
  if (deletions === 0) return;
  for (let skip = 0; skip < end; skip++) {
    take(hashWithout(word, end, skip, -1));
    if (deletions > 1)
      for (let skip2 = skip + 1; skip2 < end; skip2++) take(hashWithout(word, end, skip, skip2));
  }
};

const WORDS_A_SLICE = 1_000;
/** What a frequent word gains against a rare one that is as near. */
const FREQUENCY_WEIGHT = 0.05;

/**
 * Finds the words near a misspelled one without comparing it to all of them: two words that are `n` edits apart have a
 * deletion of at most `n` letters in common, and the deletions of all words are computed beforehand.
 */
export class WordIndex {
  readonly #words: readonly KnownWord[];
  readonly #known: ReadonlyMap<string, number>;
  /** The words of bucket `b` are `items[starts[b]..starts[b + 1])`. */
  readonly #starts: Uint32Array;
  readonly #items: Uint32Array;

  private constructor(words: readonly KnownWord[], starts: Uint32Array, items: Uint32Array) {
    this.#words = words;
    this.#known = new Map(words.map(({ word, documents }) => [word, documents] as const));
    this.#starts = starts;
    this.#items = items;
  }

  /** Yields after every slice, so that queries are answered in between. */
  static *build(words: readonly KnownWord[]): Generator<void, WordIndex> {
    const buckets = 1 << Math.max(4, Math.ceil(Math.log2(words.length * 8 + 1)));
    const starts = new Uint32Array(buckets + 1);
    const each = function* (take: (bucket: number, word: number) => void): Generator<void, void> {
      for (const [at, { word }] of words.entries()) {
        eachDeletion(word, deletionsOf(word.length), (hash) => take(hash & (buckets - 1), at));
        if (at % WORDS_A_SLICE === WORDS_A_SLICE - 1) yield;
      }
    };
    yield* each((bucket) => starts[bucket + 1]!++);
    for (let bucket = 0; bucket < buckets; bucket++) starts[bucket + 1]! += starts[bucket]!;
    const items = new Uint32Array(starts[buckets]!);
    const next = starts.slice();
    yield* each((bucket, word) => (items[next[bucket]!++] = word));
    return new WordIndex(words, starts, items);
  }

  static of(words: readonly KnownWord[]): WordIndex {
    const work = WordIndex.build(words);
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
    }
  }

  documentsOf(word: string): number {
    return this.#known.get(word) ?? 0;
  }
  get size(): number {
    return this.#words.length;
  }
  /** Of the arrays; the words themselves come on top. */
  get bytes(): number {
    return this.#starts.byteLength + this.#items.byteLength;
  }

  /** The likeliest word that is at most `editsMax` mistakes away; undefined if there is none. */
  nearest(typed: string, editsMax = editsMaxOf(typed.length)): NearWord | undefined {
    if (editsMax === 0) return undefined;
    const seen = new Set<number>();
    let best: (NearWord & { readonly rank: number }) | undefined;
    const buckets = this.#starts.length - 2;
    eachDeletion(typed, editsMax, (hash) => {
      const bucket = hash & buckets;
      for (let at = this.#starts[bucket]!; at < this.#starts[bucket + 1]!; at++) {
        const number = this.#items[at]!;
        if (seen.has(number)) continue;
        seen.add(number);
        const { word, documents } = this.#words[number]!;
        const near = editCost(typed, word, editsMax);
        if (!near) continue;
        const rank = near.cost - FREQUENCY_WEIGHT * Math.log2(1 + documents);
        if (!best || rank < best.rank || (rank === best.rank && word < best.word))
          best = { word, documents, cost: near.cost, rank };
      }
    });
    return best && { word: best.word, documents: best.documents, cost: best.cost };
  }
}

import type { Cursor } from '@doska/core/vasgen';
import type { Segment } from '../index/segment.ts';
import type { Place, SortOrder } from './sort-order.ts';

/** The best `size` of everything offered: a heap with the worst on top. */
export class TopHits {
  readonly #size: number;
  readonly #order: SortOrder;
  readonly #after: Cursor | undefined;
  readonly #keys: number[] = [];
  readonly #places: Place[] = [];

  constructor(size: number, order: SortOrder, after: Cursor | undefined) {
    this.#size = size;
    this.#order = order;
    this.#after = after;
  }

  /** `keys[at]` is the first key of the document of `places[at]`. */
  offer(
    segment: Segment,
    docs: Uint32Array,
    places: Uint32Array,
    count: number,
    scores: Float64Array,
    keys: Float64Array,
  ): void {
    if (this.#size === 0) return;
    let worst = this.#worst();
    for (let at = 0; at < count; at++) {
      if (keys[at]! > worst) continue;
      const place = places[at]!;
      worst = this.#take(keys[at]!, segment, docs[place]!, scores[place]!);
    }
  }

  /** The same where the first key is the score, highest first. */
  offerByScore(
    segment: Segment,
    docs: Uint32Array,
    places: Uint32Array,
    count: number,
    scores: Float64Array,
  ): void {
    if (this.#size === 0) return;
    let { least } = this;
    for (let at = 0; at < count; at++) {
      const place = places[at]!;
      const score = scores[place]!;
      if (score < least) continue;
      least = this.takeByScore(segment, docs[place]!, score);
    }
  }

  /** Where the first key is the score: nothing below this gets in any more. */
  get least(): number {
    return -this.#worst();
  }

  /** Takes one in if it belongs there; returns `least`. */
  takeByScore(segment: Segment, document: number, score: number): number {
    return -this.#take(-score, segment, document, score);
  }

  #take(key: number, segment: Segment, document: number, score: number): number {
    const place = { segment, document, score };
    if (this.#after && !this.#order.isAfter(place, this.#after)) return this.#worst();
    if (this.#keys.length < this.#size) this.#push(key, place);
    else if (this.#isWorse(this.#keys[0]!, this.#places[0]!, key, place)) this.#replaceWorst(key, place);
    return this.#worst();
  }

  /** Nothing above this gets in any more. */
  #worst(): number {
    return this.#keys.length < this.#size ? Infinity : this.#keys[0]!;
  }

  #isWorse(key: number, place: Place, otherKey: number, other: Place): boolean {
    return key !== otherKey ? key > otherKey : this.#order.compare(place, other) > 0;
  }

  #push(key: number, place: Place): void {
    let at = this.#keys.push(key) - 1;
    this.#places.push(place);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isWorse(key, place, this.#keys[parent]!, this.#places[parent]!)) break;
      this.#keys[at] = this.#keys[parent]!;
      this.#places[at] = this.#places[parent]!;
      at = parent;
    }
    this.#keys[at] = key;
    this.#places[at] = place;
  }

  #replaceWorst(key: number, place: Place): void {
    const { length } = this.#keys;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) break;
      const other = child + 1;
      if (
        other < length &&
        this.#isWorse(this.#keys[other]!, this.#places[other]!, this.#keys[child]!, this.#places[child]!)
      )
        child = other;
      if (!this.#isWorse(this.#keys[child]!, this.#places[child]!, key, place)) break;
      this.#keys[at] = this.#keys[child]!;
      this.#places[at] = this.#places[child]!;
      at = child;
    }
    this.#keys[at] = key;
    this.#places[at] = place;
  }

  sorted(): readonly Place[] {
    const keys = this.#keys;
    return keys
      .map((_, at) => at)
      .sort((a, b) =>
        keys[a] === keys[b] ? this.#order.compare(this.#places[a]!, this.#places[b]!) : keys[a]! - keys[b]!,
      )
      .map((at) => this.#places[at]!);
  }
}

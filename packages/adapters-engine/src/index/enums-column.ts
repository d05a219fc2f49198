import type { FieldValue } from '@doska/core/vasgen';
import { grown } from './bits.ts';
import type { EnumDictionary } from './enum-dictionary.ts';
import { PagedIntegers } from './paged-integers.ts';
import { ValueLists } from './value-lists.ts';

type Ids = Uint32Array | Uint16Array | Uint8Array;

/** Several values a document, by number, each once. Document after document: the values of `at` end at `ends[at]`. */
export class EnumsColumn {
  readonly kind = 'enums';
  readonly dictionary: EnumDictionary;
  ends: Uint32Array;
  /** Sealed; until then they are in pages, which grow without copying. */
  #ids: Ids | undefined;
  #growing: PagedIntegers;
  lists: ValueLists | undefined;

  constructor(
    dictionary: EnumDictionary,
    { ends, ids, growing }: { ends?: Uint32Array; ids?: Ids; growing?: PagedIntegers } = {},
  ) {
    this.dictionary = dictionary;
    this.ends = ends ?? new Uint32Array(0);
    this.#ids = ids;
    this.#growing = growing ?? new PagedIntegers();
  }

  /** The arrays of this moment: what was put in stays as it is, whatever is put behind it. */
  frozen(): EnumsColumn {
    const ids = this.#ids ? { ids: this.#ids } : { growing: this.#growing };
    return new EnumsColumn(this.dictionary, { ends: this.ends, ...ids });
  }

  #start(at: number): number {
    return at === 0 ? 0 : this.ends[at - 1]!;
  }
  #id(place: number): number {
    return this.#ids ? this.#ids[place]! : this.#growing.get(place);
  }

  /** Documents are put in one after another. */
  put(at: number, value: FieldValue): void {
    let end = this.#start(at);
    for (const one of new Set(value as readonly string[]))
      this.#growing.set(end++, this.dictionary.intern(one));
    this.ends[at] = end;
  }
  valueAt(at: number): readonly string[] {
    const values: string[] = [];
    for (let place = this.#start(at); place < this.ends[at]!; place++)
      values.push(this.dictionary.values[this.#id(place)] as string);
    return values;
  }
  hasOneOf(at: number, allowed: Uint8Array): boolean {
    for (let place = this.#start(at); place < this.ends[at]!; place++)
      if (allowed[this.#id(place)] === 1) return true;
    return false;
  }
  count(at: number, counters: Uint32Array): void {
    for (let place = this.#start(at); place < this.ends[at]!; place++) counters[this.#id(place)]!++;
  }

  grow(length: number): void {
    this.ends = grown(this.ends, length);
  }

  /** The values of the first `count` documents, in as few bytes as their numbers need. */
  idsOf(count: number): Ids {
    const all = new Uint32Array(count === 0 ? 0 : this.ends[count - 1]!);
    let most = 0;
    for (let place = 0; place < all.length; place++) {
      const id = this.#id(place);
      all[place] = id;
      if (id > most) most = id;
    }
    return most < 256 ? Uint8Array.from(all) : most < 65536 ? Uint16Array.from(all) : all;
  }

  seal(count: number): void {
    this.#ids = this.idsOf(count);
    this.ends = this.ends.slice(0, count);
    // Not emptied: an image that is still being written may hold on to it.
    this.#growing = new PagedIntegers();
  }

  /** `docs` tells whose the values are. */
  list(count: number, docs: Uint16Array): void {
    this.lists = ValueLists.of(this.dictionary.size, (take) => {
      for (let at = 0, place = 0; at < count; at++)
        for (; place < this.ends[at]!; place++) take(docs[at]!, this.#id(place));
    });
  }

  get bytes(): number {
    const ids = this.#ids?.byteLength ?? this.#growing.bytes;
    return this.ends.byteLength + ids + (this.lists?.bytes ?? 0);
  }
}

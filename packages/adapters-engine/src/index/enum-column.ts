import type { FieldValue } from '@doska/core/vasgen';
import { bitWords, grown, setBit } from './bits.ts';
import type { EnumDictionary } from './enum-dictionary.ts';

/** From here on a bitmap of a segment is no larger than a list of its documents. */
const DENSE = 4096;
/** A field with more values in a segment is looked through instead: its lists would be tiny and many. */
const LISTED_VALUES_MAX = 4096;

type Ids = Uint32Array | Uint16Array | Uint8Array;

/** Values by number, 0 is missing. Sealed to as few bytes as the numbers need, with the documents of each value. */
export class EnumColumn {
  readonly kind = 'enum';
  readonly dictionary: EnumDictionary;
  ids: Ids;
  #lists: Map<number, Uint16Array | Uint32Array> | undefined;

  constructor(dictionary: EnumDictionary, ids: Ids = new Uint32Array(0)) {
    this.dictionary = dictionary;
    this.ids = ids;
  }

  put(at: number, value: FieldValue | undefined): void {
    this.ids[at] = value === undefined ? 0 : this.dictionary.intern(value as string | boolean);
  }
  valueAt(at: number): string | boolean | undefined {
    const id = this.ids[at]!;
    return id === 0 ? undefined : this.dictionary.values[id];
  }
  has(at: number): boolean {
    return this.ids[at] !== 0;
  }
  grow(length: number): void {
    this.ids = grown(this.ids as Uint32Array, length);
  }

  seal(count: number): void {
    let most = 0;
    for (let at = 0; at < count; at++) if (this.ids[at]! > most) most = this.ids[at]!;
    const Narrow = most < 256 ? Uint8Array : most < 65536 ? Uint16Array : Uint32Array;
    this.ids = Narrow.from(this.ids.subarray(0, count));
    this.list(count);
  }

  /** Documents by value: a list, or a bitmap where that is smaller. */
  list(count: number): void {
    const { ids } = this;
    const sizes = new Uint32Array(this.dictionary.size);
    for (let at = 0; at < count; at++) sizes[ids[at]!]!++;
    sizes[0] = 0; // missing
    const lists = new Map<number, Uint16Array | Uint32Array>();
    for (let id = 1; id < sizes.length; id++) {
      if (sizes[id] === 0) continue;
      if (lists.size === LISTED_VALUES_MAX) return;
      lists.set(id, sizes[id]! < DENSE ? new Uint16Array(sizes[id]!) : new Uint32Array(bitWords(count)));
    }
    const filled = new Uint32Array(sizes.length);
    for (let at = 0; at < count; at++) {
      const id = ids[at]!;
      if (id === 0) continue;
      const list = lists.get(id)!;
      if (list instanceof Uint32Array) setBit(list, at);
      else list[filled[id]!++] = at;
    }
    this.#lists = lists;
  }

  /** Sets the bits of the documents with this value; false: there are no lists, look at `ids`. */
  mark(id: number, bits: Uint32Array): boolean {
    if (!this.#lists) return false;
    const list = this.#lists.get(id);
    if (list instanceof Uint32Array) for (let at = 0; at < list.length; at++) bits[at]! |= list[at]!;
    else if (list) for (let at = 0; at < list.length; at++) setBit(bits, list[at]!);
    return true;
  }

  /** The documents with this value in order, where they are few enough for a list. */
  listOf(id: number): Uint16Array | undefined {
    const list = this.#lists?.get(id);
    return list instanceof Uint16Array ? list : undefined;
  }

  get bytes(): number {
    let bytes = this.ids.byteLength;
    for (const list of this.#lists?.values() ?? []) bytes += list.byteLength + 100;
    return bytes;
  }
}

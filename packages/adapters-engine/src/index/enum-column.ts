import type { FieldValue } from '@doska/core/vasgen';
import { grown } from './bits.ts';
import type { EnumDictionary } from './enum-dictionary.ts';
import { ValueLists } from './value-lists.ts';

type Ids = Uint32Array | Uint16Array | Uint8Array;

/** Values by number, 0 is missing. Sealed to as few bytes as the numbers need, with the documents of each value. */
export class EnumColumn {
  readonly kind = 'enum';
  readonly dictionary: EnumDictionary;
  ids: Ids;
  /** Which documents hold a value, once sealed; absent also where there are too many values: look at `ids`. */
  lists: ValueLists | undefined;

  constructor(dictionary: EnumDictionary, ids: Ids = new Uint32Array(0)) {
    this.dictionary = dictionary;
    this.ids = ids;
  }

  put(at: number, value: FieldValue): void {
    this.ids[at] = this.dictionary.intern(value as string | boolean);
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
  }

  /** `docs` tells whose the values are; without it value n is of document n. */
  list(count: number, docs?: Uint16Array): void {
    const { ids } = this;
    this.lists = ValueLists.of(this.dictionary.size, (take) => {
      for (let at = 0; at < count; at++) take(docs ? docs[at]! : at, ids[at]!);
    });
  }

  get bytes(): number {
    return this.ids.byteLength + (this.lists?.bytes ?? 0);
  }
}

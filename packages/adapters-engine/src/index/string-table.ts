const SHARDS = 1 << 10;
/** What a `Map` takes an entry beside the string, by measurement on V8; for estimates only. */
const ENTRY_BYTES = 44;
const STRING_BYTES = 24;

/** Spreads strings over maps by four of their characters: cheaper than reading them, and endings differ most. */
const shardOf = (text: string): number => {
  const last = text.length - 1;
  if (last < 2) return text.length === 0 ? 0 : text.charCodeAt(last) & (SHARDS - 1);
  const ending = text.charCodeAt(last) + 31 * text.charCodeAt(last - 1) + 961 * text.charCodeAt(last - 2);
  return (ending + 29_791 * text.charCodeAt(last >> 1)) & (SHARDS - 1);
};

/** A number for each string. A map of many small ones: a single large map stalls for its rehash when it grows. */
export class StringTable {
  readonly #shards: (Map<string, number> | undefined)[] = new Array<undefined>(SHARDS).fill(undefined);
  #size = 0;
  #chars = 0;

  get(text: string): number | undefined {
    return this.#shards[shardOf(text)]?.get(text);
  }

  set(text: string, value: number): void {
    const shard = (this.#shards[shardOf(text)] ??= new Map());
    const before = shard.size;
    shard.set(text, value);
    if (shard.size > before) {
      this.#size++;
      this.#chars += text.length;
    }
  }

  delete(text: string): void {
    if (this.#shards[shardOf(text)]?.delete(text)) {
      this.#size--;
      this.#chars -= text.length;
    }
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#size * (ENTRY_BYTES + STRING_BYTES) + 2 * this.#chars;
  }
}

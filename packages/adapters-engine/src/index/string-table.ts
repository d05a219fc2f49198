const SHARDS = 1 << 10;
/** What a `Map` takes an entry beside the string, by measurement on V8; for estimates only. */
const ENTRY_BYTES = 44;
const STRING_BYTES = 24;

/** FNV-1a over the UTF-16 units: only spreads strings over maps, and is kept nowhere. */
const shardOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & (SHARDS - 1);
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

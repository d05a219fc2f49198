export type RecentOptions<V> = {
  /** The limit for the total weight. A single value above it is not kept. */
  readonly weightMax: number;
  readonly weightOf: (value: V) => number;
};
/** A cache of recently used values. */
export type Recent<K, V> = {
  readonly get: (key: K) => V | undefined;
  readonly put: (key: K, value: V) => void;
  readonly forget: (key: K) => void;
  readonly weight: () => number;
};

/** Keeps recently used values up to a total weight of `weightMax`. */
export const makeRecent = <K, V>({ weightMax, weightOf }: RecentOptions<V>): Recent<K, V> => {
  type Kept = { readonly value: V; readonly weight: number; used: boolean };
  /**
   * In insertion order. `get` only marks a value as used; `put` moves marked values back when it needs room. Moving a value
   * on every `get` would be much slower.
   */
  const kept = new Map<K, Kept>();
  let total = 0;
  const forget = (key: K): void => {
    total -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  };
  return {
    get: (key) => {
      const found = kept.get(key);
      if (!found) return undefined;
      found.used = true;
      return found.value;
    },
    put: (key, value) => {
      forget(key);
      const weight = weightOf(value);
      if (weight > weightMax) return;
      for (const [oldest, one] of kept) {
        if (total + weight <= weightMax) break;
        if (one.used) {
          // Moves to the end, like a new value.
          one.used = false;
          kept.delete(oldest);
          kept.set(oldest, one);
        } else forget(oldest);
      }
      kept.set(key, { value, weight, used: false });
      total += weight;
    },
    forget,
    weight: () => total,
  };
};

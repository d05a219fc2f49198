export type RecentOptions<V> = {
  /** All values together weigh at most this; one that is heavier by itself is not kept. */
  readonly weightMax: number;
  readonly weightOf: (value: V) => number;
};
/** What was used lately. */
export type Recent<K, V> = {
  readonly get: (key: K) => V | undefined;
  readonly put: (key: K, value: V) => void;
  readonly forget: (key: K) => void;
  readonly weight: () => number;
};

/** Keeps the values that were put or asked for last, as many as weigh `weightMax`. */
export const makeRecent = <K, V>({ weightMax, weightOf }: RecentOptions<V>): Recent<K, V> => {
  type Kept = { readonly value: V; readonly weight: number };
  /** A map remembers the order in which its keys came: the first is the one that was not used for longest. */
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
      kept.delete(key);
      kept.set(key, found);
      return found.value;
    },
    put: (key, value) => {
      forget(key);
      const weight = weightOf(value);
      if (weight > weightMax) return;
      kept.set(key, { value, weight });
      total += weight;
      for (const oldest of kept.keys()) {
        if (total <= weightMax) break;
        forget(oldest);
      }
    },
    forget,
    weight: () => total,
  };
};

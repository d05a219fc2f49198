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

/** Keeps the values that were put or asked for lately, as many as weigh `weightMax`. */
export const makeRecent = <K, V>({ weightMax, weightOf }: RecentOptions<V>): Recent<K, V> => {
  type Kept = { readonly value: V; readonly weight: number; used: boolean };
  /**
   * In the order in which they came. Whether one was used since is marked and looked at when room is needed: to move it at
   * every use would cost more than all else.
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
          // Behind the others, as if it had just come.
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

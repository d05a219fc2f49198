type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether two plain values (primitives, arrays, records) are equal. The order of a record's fields does not matter, and an
 * undefined field equals an absent one. The order of an array matters.
 */
export const sameValue = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameValue(item, b[i]));
  if (Array.isArray(b)) return false;
  for (const name in a) if (!sameValue((a as Fields)[name], (b as Fields)[name])) return false;
  for (const name in b) if ((b as Fields)[name] !== undefined && !(name in a)) return false;
  return true;
};

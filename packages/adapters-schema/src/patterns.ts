/** A bounded repetition up to this is harmless. */
const HARMLESS_MAX = 10;
const QUANTIFIER = /^(?:[*+]|\{(\d+)(,(\d*))?\})/;

/** How many characters a quantifier has, and whether it repeats without a small bound. */
const quantifierAt = (text: string): { readonly length: number; readonly isWide: boolean } | undefined => {
  const found = QUANTIFIER.exec(text);
  if (!found) return undefined;
  const [all, least, range, most] = found;
  if (least === undefined) return { length: all.length, isWide: true };
  const isWide = range !== undefined && (most === '' || Number(most) > HARMLESS_MAX);
  return { length: all.length, isWide };
};

/**
 * Whether a repetition stands inside a group that is itself repeated. The time of such a pattern can double with every
 * character of a text that does not match.
 */
export const hasNestedRepetition = (pattern: string): boolean => {
  /** For each open group: whether it has a wide repetition. */
  const groups: boolean[] = [false];
  let isClosedWide = false;
  for (let at = 0; at < pattern.length; at++) {
    const c = pattern[at];
    const wasWide = isClosedWide;
    isClosedWide = false;
    if (c === '\\') at++;
    else if (c === '[') {
      for (at++; at < pattern.length && pattern[at] !== ']'; at++) if (pattern[at] === '\\') at++;
    } else if (c === '(') groups.push(false);
    else if (c === ')') {
      isClosedWide = groups.length > 1 ? groups.pop()! : false;
      if (isClosedWide) groups[groups.length - 1] = true;
    } else {
      const quantifier = quantifierAt(pattern.slice(at));
      if (!quantifier) continue;
      if (quantifier.isWide && wasWide) return true;
      if (quantifier.isWide) groups[groups.length - 1] = true;
      at += quantifier.length - 1;
    }
  }
  return false;
};

/** The number of single-character changes that turn one text into the other. */
export const editDistance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
};

/** The candidate that looks most like `name`, if at most `changesMax` characters differ. */
export const nearest = (
  name: string,
  candidates: readonly string[],
  changesMax: number,
): string | undefined => {
  let best: { readonly candidate: string; readonly changes: number } | undefined;
  for (const candidate of candidates) {
    const changes = editDistance(name, candidate);
    if (changes <= changesMax && (best === undefined || changes < best.changes))
      best = { candidate, changes };
  }
  return best?.candidate;
};

/**
 * The hits of a page with a cap, and how many were held back: before the last of them, and of a page that is not full all
 * that follow.
 */
export type CappedPage<Hit> = { readonly hits: readonly Hit[]; readonly heldBack: number };

/** Takes hits in their order until the page is full. `valueOf` undefined: the hit is not held back. */
export const cappedPage = <Hit>(
  hits: readonly Hit[],
  limit: number,
  max: number,
  valueOf: (hit: Hit) => string | undefined,
): CappedPage<Hit> => {
  const counts = new Map<string, number>();
  const taken: Hit[] = [];
  let passed = 0;
  let heldBack = 0;
  for (const hit of hits) {
    if (taken.length === limit) break;
    const value = valueOf(hit);
    const count = value === undefined ? 0 : (counts.get(value) ?? 0);
    if (count >= max) {
      passed++;
      continue;
    }
    if (value !== undefined) counts.set(value, count + 1);
    taken.push(hit);
    heldBack = passed;
  }
  return { hits: taken, heldBack: taken.length < limit ? passed : heldBack };
};

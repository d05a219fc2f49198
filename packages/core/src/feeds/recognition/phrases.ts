import type { Token } from './tokens.ts';

/** Phrases by their terms. A phrase may mean several things. */
export type Phrases<Meaning> = {
  readonly next: ReadonlyMap<string, Phrases<Meaning>>;
  readonly meanings: readonly Meaning[];
};
type Growing<Meaning> = { readonly next: Map<string, Growing<Meaning>>; readonly meanings: Meaning[] };

export const growPhrases = <Meaning>() => {
  const root: Growing<Meaning> = { next: new Map(), meanings: [] };
  return {
    root: root as Phrases<Meaning>,
    add: (terms: readonly string[], meaning: Meaning): void => {
      if (terms.length === 0) return;
      let at = root;
      for (const term of terms) {
        const next = at.next.get(term) ?? { next: new Map<string, Growing<Meaning>>(), meanings: [] };
        at.next.set(term, next);
        at = next;
      }
      at.meanings.push(meaning);
    },
  };
};

export type Match<Meaning> = {
  readonly from: number;
  readonly to: number;
  readonly meanings: readonly Meaning[];
};
/** The longest phrases of a text, from left to right, that have a meaning which fits. Matches do not overlap. */
export const longestMatches = <Meaning>(
  root: Phrases<Meaning>,
  tokens: readonly Token[],
  fits: (meaning: Meaning) => boolean = () => true,
): readonly Match<Meaning>[] => {
  const found: Match<Meaning>[] = [];
  for (let from = 0; from < tokens.length;) {
    let best: Match<Meaning> | undefined;
    let at: Phrases<Meaning> | undefined = root;
    for (let to = from; at && to < tokens.length; to++) {
      at = at.next.get(tokens[to]!.term);
      const meanings = at?.meanings.filter(fits) ?? [];
      if (meanings.length > 0) best = { from, to: to + 1, meanings };
    }
    if (best) found.push(best);
    from = best?.to ?? from + 1;
  }
  return found;
};

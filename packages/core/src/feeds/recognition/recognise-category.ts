import type { CategoryId } from '../../catalog/index.ts';
import { longestMatches } from './phrases.ts';
import type { RecognitionIndex, Support } from './recognition-index.ts';
import { tokensOf, type Token } from './tokens.ts';

export type Candidate = {
  readonly category: CategoryId;
  /** From 0 to 1. */
  readonly sureness: number;
};
export type CategoryGuess =
  | ({ readonly kind: 'sure' } & Candidate)
  /** By falling sureness. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'unknown' };
export type GuessOptions = {
  readonly surenessMin: number;
  /** Only these and what is below them. */
  readonly among?: readonly CategoryId[];
};

/** The first thing that a title names is what is sold. */
const FIRST_WEIGHT = 1.4;
const ASIDE_WEIGHT = 0.35;
const CATEGORY_TEXT_WEIGHT = 1.5;
const TYPO_WEIGHT = 0.6;
/** So much evidence is enough to be sure. */
const ENOUGH = 1.5;
const CANDIDATES_MAX = 5;
const CORRECTED_CHARS_MIN = 6;

const corrected = (index: RecognitionIndex, tokens: readonly Token[]): readonly Token[] =>
  tokens.map((token) => {
    const { term } = token;
    if (term.length < CORRECTED_CHARS_MIN || /\d/.test(term) || index.words.documentsOf(term) > 0)
      return token;
    const near = index.words.nearest(term, 1);
    return near?.word[0] === term[0] ? { ...token, term: near!.word } : token;
  });

const addEvidence = (
  index: RecognitionIndex,
  tokens: readonly Token[],
  weight: number,
  scores: Map<number, number>,
): void => {
  const add = (support: Support, times: number): void => {
    for (const [n, points] of support) scores.set(n, (scores.get(n) ?? 0) + points * times);
  };
  const covered = new Set<string>();
  const things = tokens.filter(({ isIntent }) => !isIntent);
  longestMatches(index.evidence, things).forEach(({ from, to, meanings: [support] }, n) => {
    const { isAside } = things[from]!;
    if (to - from > 1)
      covered.add(
        things
          .slice(from, to)
          .map(({ term }) => term)
          .join(' '),
      );
    add(support!, weight * (isAside ? ASIDE_WEIGHT : n === 0 ? FIRST_WEIGHT : 1));
  });
  const said = new Set(tokens.filter(({ isOther }) => !isOther).map(({ term }) => term));
  const done = new Set<string>();
  for (const term of said)
    for (const { terms, support } of index.scattered.get(term) ?? []) {
      const key = terms.join(' ');
      if (done.has(key) || covered.has(key) || !terms.every((one) => said.has(one))) continue;
      done.add(key);
      add(support, weight);
    }
};

/**
 * The category that the words of the texts speak for: names and synonyms of categories, values that only some categories
 * have, names of attributes. Misspelled words count only if nothing is found without them.
 */
export const guessCategory = (
  index: RecognitionIndex,
  { category, title }: { readonly category: string; readonly title: string },
  { surenessMin, among }: GuessOptions,
): CategoryGuess => {
  const texts = [
    { tokens: tokensOf(index.analyzer, category), weight: CATEGORY_TEXT_WEIGHT },
    { tokens: tokensOf(index.analyzer, title), weight: 1 },
  ];
  const scores = new Map<number, number>();
  for (const { tokens, weight } of texts) addEvidence(index, tokens, weight, scores);
  if (scores.size === 0)
    for (const { tokens, weight } of texts)
      addEvidence(index, corrected(index, tokens), weight * TYPO_WEIGHT, scores);
  return choose(index, scores, { surenessMin, ...(among ? { among } : {}) });
};

const choose = (
  { catalog, categories, numberOf }: RecognitionIndex,
  scores: ReadonlyMap<number, number>,
  { surenessMin, among }: GuessOptions,
): CategoryGuess => {
  const above = (n: number): readonly CategoryId[] => catalog.path(categories[n]!.id).map(({ id }) => id);
  const allowed = among && new Set(among);
  const ranked = [...scores]
    .filter(([n]) => !allowed || above(n).some((id) => allowed.has(id)))
    // Parents come first among equals: nothing speaks for one of their children.
    .sort(([a, left], [b, right]) => (Math.abs(left - right) < 1e-9 ? a - b : right - left));
  const [best] = ranked;
  if (!best) return { kind: 'unknown' };
  const [winner, top] = best;
  const isNested = (a: number, b: number): boolean =>
    above(a).includes(categories[b]!.id) || above(b).includes(categories[a]!.id);
  /** What speaks for both speaks for neither of them: the score of what they have above them. */
  const shared = (a: number, b: number): number => {
    const others = new Set(above(b));
    return Math.max(
      0,
      ...above(a).flatMap((id) => (others.has(id) ? (scores.get(numberOf.get(id)!) ?? 0) : [])),
    );
  };
  const rivals: { readonly n: number; readonly share: number }[] = [];
  for (const [n, score] of ranked.slice(1)) {
    if (rivals.length === CANDIDATES_MAX - 1) break;
    if (isNested(n, winner) || rivals.some((other) => isNested(n, other.n))) continue;
    const both = Math.min(score, shared(n, winner));
    rivals.push({ n, share: top > both ? (score - both) / (top + score - 2 * both) : 0.5 });
  }
  const enough = Math.min(1, top / ENOUGH);
  const strongest = Math.max(0, ...rivals.map(({ share }) => share));
  const category = categories[winner]!.id;
  const sureness = enough * (1 - strongest);
  if (sureness >= surenessMin) return { kind: 'sure', category, sureness };
  return {
    kind: 'ambiguous',
    candidates: [
      { category, sureness },
      ...rivals
        .filter(({ share }) => share > 0)
        .map(({ n, share }) => ({ category: categories[n]!.id, sureness: enough * share })),
    ],
  };
};

import { fold } from '../../catalog/index.ts';

/** Something that people know by several folded spellings. */
export type Named<Thing> = { readonly thing: Thing; readonly spellings: Iterable<string> };

/** Less alike names are no help. */
const LIKENESS_MIN = 0.4;
/** Longer texts are not looked at. */
const LOOKED_AT_CHARS = 200;

/** Pairs of neighbouring letters, with the edges of the words. */
const pairsOf = (folded: string): ReadonlySet<string> => {
  const text = ` ${folded} `;
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2));
  return pairs;
};
const known = new Map<string, ReadonlySet<string>>();
const KNOWN_MAX = 50_000;
/** Names of a catalogue are compared again and again. */
const knownPairs = (folded: string): ReadonlySet<string> => {
  const found = known.get(folded) ?? pairsOf(folded);
  if (known.size < KNOWN_MAX) known.set(folded, found);
  return found;
};
/** From 0 to 1: how many pairs of letters both have. */
const likeness = (left: ReadonlySet<string>, right: ReadonlySet<string>): number => {
  let common = 0;
  for (const pair of left) if (right.has(pair)) common += 1;
  return (2 * common) / (left.size + right.size);
};

/** The things whose names look most like a text, the most alike first. Empty if none looks like it. */
export const nearestNames = <Thing>(
  text: string,
  things: readonly Named<Thing>[],
  max: number,
): readonly Thing[] => {
  const folded = fold(text.slice(0, LOOKED_AT_CHARS));
  if (folded === '') return [];
  const wanted = pairsOf(folded);
  return things
    .map(({ thing, spellings }) => {
      let best = 0;
      for (const spelling of spellings) best = Math.max(best, likeness(wanted, knownPairs(spelling)));
      return { thing, best };
    })
    .filter(({ best }) => best >= LIKENESS_MIN)
    .toSorted((a, b) => b.best - a.best)
    .slice(0, max)
    .map(({ thing }) => thing);
};

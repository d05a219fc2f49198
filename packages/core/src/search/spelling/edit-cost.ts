import { areNeighbours } from './keyboard.ts';

/** Letters that sound alike, so that they are written for each other. */
const ALIKE = new Set<string>();
for (const pair of 'оа еи иы еэ ея бп дт гк зс вф жш щш ьъ цс чщ ий'.split(' ')) {
  ALIKE.add(pair);
  ALIKE.add(pair[1]! + pair[0]!);
}
const replaceCost = (a: string, b: string): number => {
  if (a === b) return 0;
  if (ALIKE.has(a + b)) return 0.5;
  return areNeighbours(a, b) ? 0.7 : 1;
};
/** A letter that doubles the one before it, and a soft sign, are easily left out or put in. */
const gapCost = (word: string, at: number): number =>
  word[at] === word[at - 1] || word[at] === 'ь' || word[at] === 'ъ' ? 0.5 : 1;
const SWAP_COST = 0.6;
/** People rarely get the first letter wrong. */
const FIRST_LETTER_COST = 0.4;

export type EditCost = { readonly edits: number; readonly cost: number };

/**
 * How many letters are put in, left out, replaced or swapped between two words, and how unlikely these mistakes are. Undefined
 * if there are more than `editsMax`.
 */
export const editCost = (typed: string, meant: string, editsMax: number): EditCost | undefined => {
  if (Math.abs(typed.length - meant.length) > editsMax) return undefined;
  const width = meant.length + 1;
  const edits = new Uint8Array((typed.length + 1) * width);
  const costs = new Float32Array((typed.length + 1) * width);
  for (let to = 1; to < width; to++) {
    edits[to] = to;
    costs[to] = costs[to - 1]! + gapCost(meant, to - 1);
  }
  for (let from = 1; from <= typed.length; from++) {
    const row = from * width;
    edits[row] = from;
    costs[row] = costs[row - width]! + gapCost(typed, from - 1);
    let least = from;
    for (let to = 1; to < width; to++) {
      const a = typed[from - 1]!;
      const b = meant[to - 1]!;
      const left = row + to - 1;
      const up = row - width + to;
      const slant = up - 1;
      let edit = edits[slant]! + (a === b ? 0 : 1);
      let cost = costs[slant]! + replaceCost(a, b);
      if (
        edits[left]! + 1 < edit ||
        (edits[left]! + 1 === edit && costs[left]! + gapCost(meant, to - 1) < cost)
      )
        [edit, cost] = [edits[left]! + 1, costs[left]! + gapCost(meant, to - 1)];
      if (edits[up]! + 1 < edit || (edits[up]! + 1 === edit && costs[up]! + gapCost(typed, from - 1) < cost))
        [edit, cost] = [edits[up]! + 1, costs[up]! + gapCost(typed, from - 1)];
      if (from > 1 && to > 1 && a === meant[to - 2] && typed[from - 2] === b) {
        const swap = row - 2 * width + to - 2;
        if (edits[swap]! + 1 < edit || (edits[swap]! + 1 === edit && costs[swap]! + SWAP_COST < cost))
          [edit, cost] = [edits[swap]! + 1, costs[swap]! + SWAP_COST];
      }
      edits[row + to] = edit;
      costs[row + to] = cost;
      if (edit < least) least = edit;
    }
    if (least > editsMax) return undefined;
  }
  const last = typed.length * width + meant.length;
  if (edits[last]! > editsMax) return undefined;
  const first = typed[0] === meant[0] ? 0 : FIRST_LETTER_COST;
  return { edits: edits[last]!, cost: costs[last]! + first };
};

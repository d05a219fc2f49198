import type { Segment } from '../index/segment.ts';
import type { Scratch } from './scratch.ts';
import type { PhraseSlot } from './text-clauses.ts';

/** Whether the words of a field hold the phrase. */
export const holdsPhrase = (slots: readonly PhraseSlot[], words: Uint32Array): boolean => {
  for (let from = 0; from + slots.length <= words.length; from++) {
    let at = 0;
    while (at < slots.length && (!slots[at] || slots[at]!.has(words[from + at]!))) at++;
    if (at === slots.length) return true;
  }
  return false;
};

/** Keeps the places whose document holds the phrase. */
export const keepPhrases = (
  slots: readonly PhraseSlot[],
  segment: Segment,
  scratch: Scratch,
  count: number,
): number => {
  const { docs, places, reader } = scratch;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    segment.readWords(docs[places[at]!]!, reader);
    if (segment.lengths.some((_, field) => holdsPhrase(slots, reader.field(field))))
      places[kept++] = places[at]!;
  }
  return kept;
};

import type { Freshness } from '@doska/core/vasgen';
import { hasBit } from './bits.ts';
import type { SearchIndex } from './search-index.ts';

const DOCUMENTS_A_SLICE = 1_000;

/**
 * The living documents of this moment, in slices. Entries never change, so a copy of the bits that say which are alive
 * is enough: what is applied meanwhile is not seen.
 */
export const livingDocuments = (
  index: SearchIndex,
): ((take: (pk: string, freshness: () => Freshness) => void) => Generator<void, void>) => {
  const { epoch } = index.spec;
  const segments = index.segments.map((segment) => ({
    segment,
    count: segment.count,
    alive: segment.alive.slice(),
  }));
  return function* (take) {
    for (const { segment, count, alive } of segments)
      for (let at = 0; at < count; at++) {
        if (hasBit(alive, at)) take(segment.pks[at]!, () => segment.freshnessAt(at, epoch));
        if (at % DOCUMENTS_A_SLICE === DOCUMENTS_A_SLICE - 1) yield;
      }
  };
};

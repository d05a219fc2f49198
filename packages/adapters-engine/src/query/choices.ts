import type { Choice } from '@doska/core/vasgen';
import type { IndexLayout } from '../index/index-layout.ts';
import type { Segment } from '../index/segment.ts';
import { resolveFilter, testOf, type ResolvedFilter } from './resolved-filter.ts';

/** The choices of one facet. */
type Group = { readonly facet: string; readonly filters: readonly ResolvedFilter[] };

/**
 * Parts the candidates of a segment in one pass: those that pass every choice, and for each facet with choices those
 * that fail in that facet alone. A facet counts both: its own choice does not narrow it.
 */
export class ChoiceSplit {
  readonly #groups: readonly Group[];
  readonly #failing: Map<string, { places: Uint32Array; count: number }>;

  constructor(
    layout: IndexLayout,
    choices: readonly Choice[],
    facets: ReadonlySet<string>,
    documentsMax: number,
  ) {
    const byFacet = new Map<string, ResolvedFilter[]>();
    for (const { facet, filter } of choices) {
      const filters = byFacet.get(facet) ?? [];
      byFacet.set(facet, filters);
      filters.push(resolveFilter(layout, filter));
    }
    this.#groups = [...byFacet].map(([facet, filters]) => ({ facet, filters }));
    const counted = this.#groups.filter(({ facet }) => facets.has(facet));
    this.#failing = new Map(
      counted.map(({ facet }) => [facet, { places: new Uint32Array(documentsMax), count: 0 }]),
    );
  }

  /** Writes those that pass to `passed` and tells how many; the others are kept for `failing`. */
  split(
    segment: Segment,
    docs: Uint32Array,
    places: Uint32Array,
    count: number,
    passed: Uint32Array,
  ): number {
    for (const failing of this.#failing.values()) failing.count = 0;
    const tests = this.#groups.map(({ facet, filters }) => ({
      failing: this.#failing.get(facet),
      test: testOf({ kind: 'all', of: filters }, segment),
    }));
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const place = places[at]!;
      const document = docs[place]!;
      let fails = 0;
      let failing: { places: Uint32Array; count: number } | undefined;
      for (let group = 0; group < tests.length && fails < 2; group++) {
        if (tests[group]!.test(document)) continue;
        fails++;
        failing = tests[group]!.failing;
      }
      if (fails === 0) passed[kept++] = place;
      else if (fails === 1 && failing) failing.places[failing.count++] = place;
    }
    return kept;
  }

  failing(facet: string): { readonly places: Uint32Array; readonly count: number } | undefined {
    return this.#failing.get(facet);
  }
}

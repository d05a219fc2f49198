import { FACET_LIMIT_DEFAULT, type Facet, type FacetCounts } from '@doska/core/vasgen';
import type { EnumColumn } from '../index/enum-column.ts';
import type { NumberColumn } from '../index/columns.ts';
import type { IndexLayout } from '../index/index-layout.ts';
import { hasBit } from '../index/bits.ts';
import type { PostingList } from '../index/postings.ts';
import type { Segment } from '../index/segment.ts';
import { Several } from './column-kinds.ts';
import { idsOf, numbersOf } from './dense-views.ts';

const COUNTER_BYTES = 4;
const countersOf = (layout: IndexLayout, facet: Facet): number => {
  if (facet.kind === 'terms') return layout.dictionaries.get(facet.field)!.size;
  return facet.kind === 'ranges' ? facet.ranges.length : 1;
};
export const facetBytes = (layout: IndexLayout, facet: Facet): number =>
  COUNTER_BYTES * countersOf(layout, facet);

/** Counts of one facet over all segments: a pass over the column, one counter a value. */
export class FacetCounting {
  readonly facet: Facet;
  readonly #layout: IndexLayout;
  readonly #counters: Uint32Array;
  /** What `addList` counted. */
  readonly #rows: Uint32Array[] = [];
  #min = Infinity;
  #max = -Infinity;

  constructor(layout: IndexLayout, facet: Facet) {
    this.facet = facet;
    this.#layout = layout;
    this.#counters = new Uint32Array(countersOf(layout, facet));
  }

  add(segment: Segment, docs: Uint32Array, places: Uint32Array, count: number): void {
    const { kind, field } = this.facet;
    const column = segment.column(field);
    if (!column || count === 0) return;
    const several = Several.of(column);
    if (kind === 'stats') this.#addStats(numbersOf(segment, field), docs, places, count);
    else if (kind === 'ranges') this.#addRanges(numbersOf(segment, field), docs, places, count);
    else if (!several) addTerms(idsOf(segment, field), this.#counters, docs, places, count);
    else for (let at = 0; at < count; at++) several.count(docs[places[at]!]!, this.#counters);
  }

  /** The living documents of a posting list; for facets of terms. */
  addList(segment: Segment, list: PostingList): void {
    const column = segment.column(this.facet.field);
    if (!column) return;
    const several = Several.of(column);
    if (several) {
      for (let at = list.from; at < list.to; at++) {
        const document = list.data[at]! >>> 16;
        if (hasBit(segment.alive, document)) several.count(document, this.#counters);
      }
      return;
    }
    const ids = idsOf(segment, this.facet.field);
    while (this.#rows.length < ROWS) this.#rows.push(new Uint32Array(this.#counters.length));
    addPostings(ids, this.#rows, segment.aliveCount === segment.count ? undefined : segment.alive, list);
  }

  #addRanges(values: NumberColumn['values'], docs: Uint32Array, places: Uint32Array, count: number): void {
    const ranges = this.facet.kind === 'ranges' ? this.facet.ranges : [];
    for (const [which, { min = -Infinity, max = Infinity }] of ranges.entries())
      for (let at = 0; at < count; at++) {
        const value = values[docs[places[at]!]!]!;
        if (value >= min && value < max) this.#counters[which]!++;
      }
  }

  #addStats(values: NumberColumn['values'], docs: Uint32Array, places: Uint32Array, count: number): void {
    for (let at = 0; at < count; at++) {
      const value = values[docs[places[at]!]!]!;
      if (Number.isNaN(value)) continue; // missing
      this.#counters[0]!++;
      if (value < this.#min) this.#min = value;
      if (value > this.#max) this.#max = value;
    }
  }

  result(isCut: boolean): FacetCounts {
    const { facet } = this;
    if (facet.kind === 'stats') {
      const count = this.#counters[0]!;
      const stats = count === 0 ? { count } : { count, min: this.#min, max: this.#max };
      return { name: facet.name, exact: !isCut, counts: [], stats };
    }
    if (facet.kind === 'ranges') {
      const counts = [...this.#counters].map((count, value) => ({ value, count }));
      return { name: facet.name, exact: !isCut, counts };
    }
    const { values } = this.#layout.dictionaries.get(facet.field)!;
    for (const row of this.#rows.splice(0)) row.forEach((more, id) => (this.#counters[id]! += more));
    const counts: { value: string | boolean; count: number }[] = [];
    for (let id = 1; id < this.#counters.length; id++)
      if (this.#counters[id]! > 0) counts.push({ value: values[id]!, count: this.#counters[id]! });
    counts.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
    const { limit = FACET_LIMIT_DEFAULT } = facet;
    return { name: facet.name, exact: !isCut && counts.length <= limit, counts: counts.slice(0, limit) };
  }
}

const addTerms = (
  ids: EnumColumn['ids'],
  counters: Uint32Array,
  docs: Uint32Array,
  places: Uint32Array,
  count: number,
): void => {
  for (let at = 0; at < count; at++) counters[ids[docs[places[at]!]!]!]!++;
};

/** Rows of counters in turn: a counter that was just written is slow to be written again, and neighbours are alike. */
const ROWS = 4;
const addPostings = (
  ids: EnumColumn['ids'],
  rows: readonly Uint32Array[],
  alive: Uint32Array | undefined,
  { data, from, to }: PostingList,
): void => {
  const [first, second, third, fourth] = rows as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  let at = from;
  if (alive === undefined)
    for (; at + 3 < to; at += 4) {
      first[ids[data[at]! >>> 16]!]!++;
      second[ids[data[at + 1]! >>> 16]!]!++;
      third[ids[data[at + 2]! >>> 16]!]!++;
      fourth[ids[data[at + 3]! >>> 16]!]!++;
    }
  for (; at < to; at++) {
    const document = data[at]! >>> 16;
    if (alive === undefined || hasBit(alive, document)) rows[at & 3]![ids[document]!]!++;
  }
};

import {
  CAPPED_DEPTH_MAX,
  cappedPage,
  sortOf,
  type Facet,
  type Hit,
  type QueryAnswer,
  type QueryPlan,
} from '@doska/core/vasgen';
import type { SearchIndex } from '../index/search-index.ts';
import { SEGMENT_DOCUMENTS_MAX, type Segment } from '../index/segment.ts';
import { offerBroadWord } from './broad-word.ts';
import { findByConditions, findByText } from './candidates.ts';
import { ChoiceSplit } from './choices.ts';
import { releaseViews } from './dense-views.ts';
import { facetBytes, FacetCounting } from './facet-counting.ts';
import { narrow } from './narrowing.ts';
import { keepPhrases } from './phrases.ts';
import { conjunction, resolveFilter, type ResolvedFilter } from './resolved-filter.ts';
import { scoreByBoosts, Scoring } from './scoring.ts';
import { Scratch } from './scratch.ts';
import { SortOrder, type Place } from './sort-order.ts';
import { textCondition, type TextCondition } from './text-clauses.ts';
import { TopHits } from './top-hits.ts';

/** What a query may take; the smaller of these and the plan's own counts. */
export type ExecuteLimits = {
  readonly timeMs: number;
  readonly bytes: number;
  readonly completions: number;
  /** Monotonic. */
  readonly nowMs: () => number;
};

/** Sees the documents of each segment that match, with their scores: the first `count` of `places`. */
export type Watch = (
  segment: Segment,
  docs: Uint32Array,
  places: Uint32Array,
  count: number,
  scores: Float64Array,
) => void;

const HIT_BYTES = 160;

const scratch = new Scratch();
const scores = new Float64Array(SEGMENT_DOCUMENTS_MAX);
const keys = new Float64Array(SEGMENT_DOCUMENTS_MAX);

/** The candidates of a segment before choices: the first `count` of `places`. */
const candidates = (
  text: TextCondition | undefined,
  filters: readonly ResolvedFilter[],
  segment: Segment,
): { readonly places: Uint32Array; readonly count: number } => {
  const { docs, everyPlace } = scratch;
  const found = text
    ? findByText(text, filters, segment, scratch)
    : findByConditions(filters, segment, scratch);
  const { rest } = found;
  let { count } = found;
  if (rest.length === 0 && !text?.phrase) return { places: everyPlace, count };
  const { places } = scratch;
  places.set(everyPlace.subarray(0, count));
  if (text?.phrase) count = keepPhrases(text.phrase, segment, scratch, count);
  for (const filter of rest) count = narrow(filter, segment, docs, places, count);
  return { places, count };
};

/** Facets whose counters fit the memory that is left; the others are not counted and said so. */
const affordable = (index: SearchIndex, facets: readonly Facet[], bytes: number): ReadonlySet<Facet> => {
  let left = bytes;
  return new Set(facets.filter((facet) => (left -= facetBytes(index.layout, facet)) >= 0));
};

/** A cap keeps out most hits at worst, so more are looked at: the more, the fewer of them fill the page. */
const CAPPED_FIRST = 4;
const CAPPED_MORE = 8;

/**
 * Runs a checked plan on one state of the index: synchronous, segment by segment, within its bounds. For a page with a cap
 * it looks at more and more hits until the page is full or there are no more.
 */
export const execute = (
  index: SearchIndex,
  plan: QueryPlan,
  limits: ExecuteLimits,
  watch?: Watch,
): QueryAnswer => {
  const { cap, ...page } = plan.page;
  if (!cap || watch) return executeOnce(index, { ...plan, page }, limits, watch);
  const { limit } = page;
  const untilMs = limits.nowMs() + limits.timeMs;
  let first: QueryAnswer | undefined;
  for (let depth = CAPPED_FIRST * limit; ; depth *= CAPPED_MORE) {
    const looked = Math.min(depth, CAPPED_DEPTH_MAX);
    const left = { ...limits, timeMs: Math.max(0, untilMs - limits.nowMs()) };
    const places: Place[] = [];
    // Total and counts are those of the first time.
    const { facets = [] } = first ? {} : plan;
    const answer = executeOnce(
      index,
      { ...plan, facets, page: { ...page, limit: looked } },
      left,
      undefined,
      places,
    );
    first ??= answer;
    const valueOf = (at: number): string | undefined => {
      const { segment, document } = places[at]!;
      return segment.column(cap.field)?.valueAt(document) as string | undefined;
    };
    const { hits, heldBack } = cappedPage([...places.keys()], limit, cap.max, valueOf);
    const isWhole = hits.length === limit || places.length < looked || looked === CAPPED_DEPTH_MAX;
    if (isWhole || answer.cut)
      return {
        ...first,
        ...(answer.cut && { cut: answer.cut }),
        hits: hits.map((at) => answer.hits[at]!),
        heldBack,
      };
  }
};

/** The hits of an answer without a cap; `found` takes their places. */
const executeOnce = (
  index: SearchIndex,
  plan: QueryPlan,
  limits: ExecuteLimits,
  watch?: Watch,
  found?: Place[],
): QueryAnswer => {
  const { page, facets = [], choices = [], boosts = [], bounds = {} } = plan;
  const { offset = 0, limit, after } = page;
  const untilMs = limits.nowMs() + Math.min(limits.timeMs, bounds.timeMs ?? Infinity);
  const bytes = Math.min(limits.bytes, bounds.bytes ?? Infinity) - HIT_BYTES * (offset + limit);
  const text = plan.text && textCondition(index, plan.text, limits.completions);
  const filters = plan.filter ? conjunction(resolveFilter(index.layout, plan.filter)) : [];
  const fits = affordable(index, facets, bytes);
  const counting = facets.map((facet) =>
    fits.has(facet) ? new FacetCounting(index.layout, facet) : undefined,
  );
  const split =
    choices.length > 0
      ? new ChoiceSplit(index.layout, choices, new Set(facets.map(({ name }) => name)), SEGMENT_DOCUMENTS_MAX)
      : undefined;
  const isText = (field: string): boolean => ['enum', 'string'].includes(index.spec.schema[field]!.kind);
  const order = new SortOrder(sortOf(plan), isText);
  const top = new TopHits(offset + limit, order, after);
  const scoring = text && order.usesScores ? new Scoring(index, text.clauses, boosts) : undefined;
  // One word and nothing that narrows it: everything comes straight from its postings.
  const isPlain = filters.length === 0 && !split && !text?.phrase && offset + limit > 0;
  const isBroad = isPlain && order.isByRelevance && text?.clauses[0]?.terms.length === 1;
  const word = isBroad && facets.every(({ kind }) => kind === 'terms') ? scoring?.wordScore() : undefined;
  let cut: QueryAnswer['cut'] = fits.size < facets.length || bytes < 0 || text?.isCut ? 'memory' : undefined;
  let total = 0;

  for (const segment of text?.isEmpty ? [] : index.segments) {
    if (limits.nowMs() >= untilMs) {
      cut = 'time';
      break;
    }
    if (word) {
      const list = segment.postings.find(text!.clauses[0]!.terms[0]!);
      if (!list) continue;
      total += offerBroadWord(word, segment, list, top);
      for (const facet of counting) facet?.addList(segment, list);
      releaseViews();
      continue;
    }
    const { docs } = scratch;
    const fitting = candidates(text, filters, segment);
    const places = split ? scratch.passed : fitting.places;
    const count = split ? split.split(segment, docs, fitting.places, fitting.count, places) : fitting.count;
    total += count;
    for (const facet of counting) {
      facet?.add(segment, docs, places, count);
      const failing = facet && split?.failing(facet.facet.name);
      if (failing) facet.add(segment, docs, failing.places, failing.count);
    }
    if (count === 0 || (offset + limit === 0 && !watch)) {
      releaseViews();
      continue;
    }
    if (scoring) scoring.score(segment, docs, (clause) => scratch.counts(clause), places, count, scores);
    else if (order.usesScores) scoreByBoosts(boosts, segment, docs, places, count, scores);
    else for (let at = 0; at < count; at++) scores[places[at]!] = 0;
    watch?.(segment, docs, places, count, scores);
    if (order.isByRelevance) top.offerByScore(segment, docs, places, count, scores);
    else {
      order.firstKeys(segment, docs, places, count, scores, keys);
      top.offer(segment, docs, places, count, scores, keys);
    }
    releaseViews();
  }

  const hits = top
    .sorted()
    .slice(offset)
    .map((place): Hit => {
      found?.push(place);
      const cursor = order.cursorOf(place);
      const freshness = place.segment.freshnessAt(place.document, index.spec.epoch);
      return { pk: cursor.pk, score: place.score, cursor, freshness };
    });
  return {
    hits,
    total,
    facets: facets.map(
      ({ name }, at) => counting[at]?.result(cut !== undefined) ?? { name, counts: [], exact: false },
    ),
    ...(cut ? { cut } : {}),
    generation: index.generation,
  };
};

import { clearBit, hasBit } from './bits.ts';
import { clusteredOrder, placeOf, sourceOf } from './clustered-order.ts';
import { copyColumns } from './copied-columns.ts';
import type { DistinctTerms } from './distinct-terms.ts';
import type { Segment } from './segment.ts';
import { WordReader } from './word-stream.ts';

/** Where the entries of a retired segment went: place + 1 in `to`, 0 for nowhere. */
export type Moved = { readonly to: Segment; readonly places: Uint32Array };

const DOCUMENTS_A_SLICE = 16;
/** A quarter of a segment wasted is worth rewriting it. */
const WASTE = 0.25;

const wasted = (segment: Segment, forgottenMs: number): number => {
  let forgotten = 0;
  if (segment.buriedCount > 0)
    for (let at = 0; at < segment.count; at++)
      if (hasBit(segment.buried, at) && segment.writtenMs(at) < forgottenMs) forgotten++;
  return segment.deadCount + forgotten;
};

/** Rewrites segments into one without what is dead; readers go on with the old ones until it is finished. */
export class Compaction {
  readonly target: Segment;
  readonly moves: readonly { readonly segment: Segment; readonly moved: Moved }[];
  readonly #distinct: DistinctTerms;

  constructor(target: Segment, sources: readonly Segment[], distinct: DistinctTerms) {
    this.target = target;
    this.moves = sources.map((segment) => ({
      segment,
      moved: { to: target, places: new Uint32Array(segment.count) },
    }));
    this.#distinct = distinct;
  }

  /** Sealed segments that are worth it and fit into one: wasteful ones first, then small ones to join them. */
  static choose(
    segments: readonly Segment[],
    documentsMax: number,
    forgottenMs: number,
  ): readonly Segment[] | undefined {
    const sealed = segments
      .filter(({ isSealed }) => isSealed)
      .map((segment) => ({ segment, waste: wasted(segment, forgottenMs) }))
      .map(({ segment, waste }) => ({ segment, share: waste / segment.count, kept: segment.count - waste }))
      .filter(({ share, kept }) => share >= WASTE || kept <= documentsMax / 4)
      .sort((a, b) => b.share - a.share);
    const chosen: Segment[] = [];
    let room = documentsMax;
    for (const { segment, kept } of sealed) {
      if (kept > room) continue;
      room -= kept;
      chosen.push(segment);
    }
    return chosen.length > 1 || (sealed[0]?.share ?? 0) >= WASTE ? chosen : undefined;
  }

  *copy(forgottenMs: number): Generator<void, void> {
    yield* this.fill(forgottenMs);
    yield* this.target.seal();
  }

  /** Everything that is alive or still remembered, into the target; documents of one cluster side by side. */
  *fill(forgottenMs: number): Generator<void, void> {
    const reader = new WordReader();
    const { target, moves } = this;
    const sources = moves.map(({ segment }) => segment);
    const order = yield* clusteredOrder(sources, target.layout);
    const entries = new Float64Array(order.length);
    for (let step = 0; step < order.length; step++) {
      if (step % DOCUMENTS_A_SLICE === DOCUMENTS_A_SLICE - 1) yield;
      const { segment, moved } = moves[sourceOf(order[step]!)]!;
      const at = placeOf(order[step]!);
      const entry = { pk: segment.pks[at]!, freshness: segment.freshnessAt(at, 0) };
      let place: number;
      if (hasBit(segment.alive, at)) {
        segment.readWords(at, reader);
        const texts = segment.lengths.map((_, field) => reader.field(field));
        place = target.insert(entry, texts, this.#distinct.collect(texts));
      } else if (hasBit(segment.buried, at) && segment.writtenMs(at) >= forgottenMs)
        place = target.bury(entry, segment.writtenMs(at));
      else continue;
      moved.places[at] = 1 + place;
      entries[place] = order[step]!;
      if (segment.isOld(at)) target.markOld(place);
    }
    yield* copyColumns({
      target,
      sources,
      entries: entries.subarray(0, target.count),
      places: moves.map(({ moved }) => moved.places),
    });
  }

  #copyOf(segment: Segment, at: number): number | undefined {
    const place = this.moves.find((move) => move.segment === segment)?.moved.places[at];
    return place !== undefined && place > 0 ? place - 1 : undefined;
  }

  /** A document that was copied already and is no longer the truth is not in the copy either. */
  supersede(segment: Segment, at: number): void {
    const place = this.#copyOf(segment, at);
    if (place !== undefined) this.target.supersede(place);
  }

  /** What was said again is not old in the copy either. */
  confirm(segment: Segment, at: number): void {
    const place = this.#copyOf(segment, at);
    if (place !== undefined && this.target.old) clearBit(this.target.old, place);
  }
}

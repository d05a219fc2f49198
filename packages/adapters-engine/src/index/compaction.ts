import { hasBit } from './bits.ts';
import { clusteredOrder, placeOf, sourceOf } from './clustered-order.ts';
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
      if (segment.timestamps[at]! < forgottenMs && hasBit(segment.buried, at)) forgotten++;
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
    const sources = this.moves.map(({ segment }) => segment);
    const order = yield* clusteredOrder(sources, this.target.layout.clusters);
    for (let step = 0; step < order.length; step++) {
      if (step % DOCUMENTS_A_SLICE === DOCUMENTS_A_SLICE - 1) yield;
      const { segment, moved } = this.moves[sourceOf(order[step]!)]!;
      const at = placeOf(order[step]!);
      const entry = { pk: segment.pks[at]!, freshness: segment.freshnessAt(at, 0) };
      if (hasBit(segment.alive, at)) {
        segment.readWords(at, reader);
        const texts = segment.lengths.map((_, field) => reader.field(field));
        const distinct = this.#distinct.collect(texts);
        moved.places[at] = 1 + this.target.insert(entry, segment.fieldsAt(at), texts, distinct);
      } else if (hasBit(segment.buried, at) && segment.timestamps[at]! >= forgottenMs) {
        moved.places[at] = 1 + this.target.bury(entry);
      }
    }
  }

  /** A document that was copied already and is no longer the truth is not in the copy either. */
  supersede(segment: Segment, at: number): void {
    const place = this.moves.find((move) => move.segment === segment)?.moved.places[at];
    if (place !== undefined && place > 0) this.target.supersede(place - 1);
  }
}

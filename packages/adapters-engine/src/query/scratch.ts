import { bitWords } from '../index/bits.ts';
import { SEGMENT_DOCUMENTS_MAX } from '../index/segment.ts';
import { WordReader } from '../index/word-stream.ts';

/**
 * What a query works with in one segment, used again for the next segment and the next query: queries run one at a
 * time. `docs[p]` is the document of candidate p, `counts[c][p]` clause c's counts in it; `places` lists the candidates
 * that are still in.
 */
export class Scratch {
  readonly docs = new Uint32Array(SEGMENT_DOCUMENTS_MAX);
  readonly places = new Uint32Array(SEGMENT_DOCUMENTS_MAX);
  /** Every candidate: place n is n. Never written to. */
  readonly everyPlace = Uint32Array.from({ length: SEGMENT_DOCUMENTS_MAX }, (_, place) => place);
  readonly passed = new Uint32Array(SEGMENT_DOCUMENTS_MAX);
  readonly bits = new Uint32Array(bitWords(SEGMENT_DOCUMENTS_MAX));
  readonly moreBits = new Uint32Array(bitWords(SEGMENT_DOCUMENTS_MAX));
  /** Zero between uses. */
  readonly marks = new Uint32Array(bitWords(SEGMENT_DOCUMENTS_MAX));
  readonly reader = new WordReader();
  readonly #counts: Uint32Array[] = [];

  counts(clause: number): Uint32Array {
    return (this.#counts[clause] ??= new Uint32Array(SEGMENT_DOCUMENTS_MAX));
  }
}

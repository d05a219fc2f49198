import {
  changeFaults,
  compareFreshness,
  type Analyzer,
  type ApplyVerdict,
  type IndexChange,
  type IndexSchema,
  type IndexSpec,
  type SeenDocument,
} from '@doska/core/vasgen';
import { Compaction, type Moved } from './compaction.ts';
import { DistinctTerms } from './distinct-terms.ts';
import { clearBit, hasBit } from './bits.ts';
import { IndexLayout } from './index-layout.ts';
import { Segment, SEGMENT_DOCUMENTS_MAX } from './segment.ts';
import { StringTable } from './string-table.ts';
import { TermDictionary } from './term-dictionary.ts';
import { WordReader } from './word-stream.ts';

export type SearchIndexOptions = {
  readonly spec: IndexSpec;
  readonly analyzer: Analyzer;
  /** Documents a segment; fewer make smaller steps and more of them. */
  readonly segmentDocuments?: number;
  /** Tombstones that were written longer ago are forgotten by upkeep. */
  readonly horizonMs: number;
};

/** Looking for waste costs a little; tombstones age also without writes. */
const WASTE_CHECK_MS = 60_000;

/** Where a document's newest entry is: a segment's serial and a place in it, as one number. */
const slotOf = (segment: Segment, at: number): number => segment.serial * SEGMENT_DOCUMENTS_MAX + at;

/**
 * One index in memory: segments, the terms and the newest entry of every document. All of it is synchronous and pure;
 * its owner decides when `upkeep` gets its slices and what is written to disk.
 */
export class SearchIndex {
  spec: IndexSpec;
  readonly analyzer: Analyzer;
  readonly layout: IndexLayout;
  readonly dictionary = new TermDictionary();
  /** In the order they were begun; the last one takes new documents. */
  segments: Segment[] = [];
  /** Words in all living documents, for each text field. */
  readonly words: number[];
  readonly #segmentDocuments: number;
  readonly #horizonMs: number;
  readonly #directory = new StringTable();
  readonly #bySerial = new Map<number, Segment>();
  readonly #retired = new Map<number, Moved>();
  readonly #distinct = new DistinctTerms();
  readonly #reader = new WordReader();
  /** Counts what queries may see differently. */
  generation = 0;
  #compaction: Compaction | undefined;
  #job: Generator<void, void> | undefined;
  #serial = 0;
  #superseded = 0;
  #checkedAtMs = -Infinity;

  constructor({ spec, analyzer, segmentDocuments = SEGMENT_DOCUMENTS_MAX, horizonMs }: SearchIndexOptions) {
    this.spec = spec;
    this.analyzer = analyzer;
    this.layout = new IndexLayout(spec.schema);
    this.words = this.layout.texts.map(() => 0);
    this.#segmentDocuments = Math.min(segmentDocuments, SEGMENT_DOCUMENTS_MAX);
    this.#horizonMs = horizonMs;
  }

  /** Fields are only added; `schema` has all that are known, as they are. */
  extend(schema: IndexSchema): void {
    this.spec = { ...this.spec, schema };
    this.layout.extend(schema);
    while (this.words.length < this.layout.texts.length) this.words.push(0);
    for (const segment of this.#bySerial.values()) segment.extendTexts();
  }

  apply(change: IndexChange, nowMs: number): ApplyVerdict {
    const violations = changeFaults(this.spec.schema, this.spec.epoch, change);
    if (violations.length > 0) return { kind: 'invalid', violations };
    const { pk, freshness, event, fields = {} } = change;
    const known = this.#find(pk);
    if (known) {
      const { segment, at } = known;
      const isOld = segment.isOld(at);
      const order = compareFreshness(freshness, segment.freshnessAt(at, this.spec.epoch));
      // The same place again: it is what the index holds, and now the rebuild has said it.
      if (isOld && order === 0) this.#confirm(segment, at);
      if (order === 0 || (order < 0 && !isOld)) return { kind: 'stale' };
      this.#supersede(segment, at);
    }
    this.generation++;
    const segment = this.#open();
    if (event === 'delete') {
      this.#directory.set(pk, slotOf(segment, segment.bury({ pk, freshness }, nowMs)));
      return { kind: 'applied' };
    }
    const texts = this.layout.texts.map(({ name }) => this.#terms(fields[name] as string | undefined));
    const at = segment.insert({ pk, freshness }, texts, this.#distinct.collect(texts));
    segment.putAll(at, fields);
    this.#directory.set(pk, slotOf(segment, at));
    this.#countWords(1, texts);
    return { kind: 'applied' };
  }

  /** Begins a rebuild: everything that is here stays found, and gives way to whatever is said from now on. */
  renew(): void {
    for (const segment of this.#bySerial.values()) segment.markAllOld();
  }

  #confirm(segment: Segment, at: number): void {
    this.#compaction?.confirm(segment, at);
    clearBit(segment.old!, at);
  }

  /** Takes out what was not said since `renew`, in slices; returns how many documents that were. */
  *sweep(): Generator<void, number> {
    let swept = 0;
    for (let segment = this.#oldSegment(); segment; segment = this.#oldSegment()) {
      for (let at = 0; at < segment.count; at++) {
        if (at % 1000 === 999) yield;
        // A compaction has put another one in its place: that one is swept instead.
        if (!this.segments.includes(segment)) break;
        if (!segment.isOld(at)) continue;
        const isAlive = hasBit(segment.alive, at);
        if (!isAlive && !hasBit(segment.buried, at)) continue;
        this.#supersede(segment, at);
        this.generation++;
        this.#directory.delete(segment.pks[at]!);
        if (isAlive) swept++;
      }
      segment.old = undefined;
    }
    return swept;
  }

  /** Looked for again each time: a compaction may have put another segment in place of several. */
  #oldSegment(): Segment | undefined {
    return this.segments.find(({ old }) => old !== undefined);
  }

  /** Where the newest entry of a document is. */
  slotOf(pk: string): { readonly segment: Segment; readonly at: number } | undefined {
    return this.#find(pk);
  }

  look(pk: string): SeenDocument {
    const known = this.#find(pk);
    if (!known) return { pk, state: 'unknown' };
    const { segment, at } = known;
    const freshness = segment.freshnessAt(at, this.spec.epoch);
    return { pk, state: hasBit(segment.alive, at) ? 'alive' : 'tombstone', freshness };
  }

  readonly #termOf = (word: string): string => this.analyzer.terms(word)[0] ?? '';

  #terms(text: string | undefined): number[] {
    if (text === undefined || text === '') return [];
    const words = this.analyzer.words(text);
    const ids = new Array<number>(words.length);
    for (let at = 0; at < words.length; at++) ids[at] = this.dictionary.internWord(words[at]!, this.#termOf);
    return ids;
  }

  /** `distinct` holds the terms of `texts`. */
  #countWords(sign: 1 | -1, texts: readonly ArrayLike<number>[]): void {
    for (let field = 0; field < texts.length; field++) this.words[field]! += sign * texts[field]!.length;
    const { terms, length } = this.#distinct;
    for (let at = 0; at < length; at++) this.dictionary.count(terms[at]!, sign);
  }

  #find(pk: string): { readonly segment: Segment; readonly at: number } | undefined {
    const slot = this.#directory.get(pk);
    if (slot === undefined) return undefined;
    const serial = Math.floor(slot / SEGMENT_DOCUMENTS_MAX);
    const at = slot % SEGMENT_DOCUMENTS_MAX;
    const moved = this.#retired.get(serial);
    if (!moved) return { segment: this.#bySerial.get(serial)!, at };
    const place = moved.places[at]!;
    return place === 0 ? undefined : { segment: moved.to, at: place - 1 };
  }

  #supersede(segment: Segment, at: number): void {
    this.#compaction?.supersede(segment, at);
    this.#superseded++;
    if (segment.supersede(at) !== 'alive') return;
    segment.readWords(at, this.#reader);
    const texts = this.layout.texts.map((_, field) => this.#reader.field(field));
    this.#distinct.collect(texts);
    this.#countWords(-1, texts);
  }

  #open(): Segment {
    const last = this.segments.at(-1);
    if (last && !last.isSealed && last.count < this.#segmentDocuments) return last;
    const segment = this.newSegment();
    this.segments = [...this.segments, segment];
    return segment;
  }

  newSegment(): Segment {
    const segment = new Segment(this.layout, ++this.#serial);
    this.#bySerial.set(segment.serial, segment);
    return segment;
  }

  /** What is alive or remembered in `segment`, in a new segment that goes on growing. */
  *regrow(segment: Segment): Generator<void, Segment> {
    const compaction = new Compaction(this.newSegment(), [segment], this.#distinct);
    yield* compaction.fill(-Infinity);
    return compaction.target;
  }

  /** One slice of sealing or compacting; true while there is more to do. */
  upkeep(nowMs: number): boolean {
    this.#job ??= this.#nextJob(nowMs);
    if (this.#job?.next().done) this.#job = this.#nextJob(nowMs);
    return this.#job !== undefined;
  }

  #nextJob(nowMs: number): Generator<void, void> | undefined {
    const full = this.segments.find(
      (segment) => !segment.isSealed && segment.count >= this.#segmentDocuments,
    );
    const forgottenMs = nowMs - this.#horizonMs;
    if (full) return this.layout.clusters.length > 0 ? this.#compact([full], forgottenMs) : full.seal();
    if (this.#superseded < this.#segmentDocuments / 16 && nowMs - this.#checkedAtMs < WASTE_CHECK_MS)
      return undefined;
    this.#superseded = 0;
    this.#checkedAtMs = nowMs;
    const sources = Compaction.choose(this.segments, this.#segmentDocuments, forgottenMs);
    return sources && this.#compact(sources, forgottenMs);
  }

  *#compact(sources: readonly Segment[], forgottenMs: number): Generator<void, void> {
    const compaction = new Compaction(this.newSegment(), sources, this.#distinct);
    this.#compaction = compaction;
    yield* compaction.copy(forgottenMs);
    // From here on in one step: the new segment serves, the old ones only tell where their documents went.
    const kept = this.segments.filter((segment) => !sources.includes(segment));
    const target = compaction.target;
    this.segments = target.count > 0 ? [target, ...kept] : kept;
    for (const { segment, moved } of compaction.moves) this.#retired.set(segment.serial, moved);
    this.#compaction = undefined;
    yield;
    for (const { segment, moved } of compaction.moves) {
      for (let at = 0; at < segment.count; at++) {
        const pk = segment.pks[at]!;
        if (this.#directory.get(pk) === slotOf(segment, at)) {
          if (moved.places[at] === 0) this.#directory.delete(pk);
          else this.#directory.set(pk, slotOf(target, moved.places[at]! - 1));
        }
        if (at % 1000 === 999) yield;
      }
      this.#retired.delete(segment.serial);
      this.#bySerial.delete(segment.serial);
    }
  }

  /** Adds a restored segment: its documents become known. The caller counts terms and words. */
  *adopt(segment: Segment): Generator<void, void> {
    this.segments = [...this.segments, segment];
    this.#bySerial.set(segment.serial, segment);
    this.#serial = Math.max(this.#serial, segment.serial);
    for (let at = 0; at < segment.count; at++) {
      if (hasBit(segment.alive, at) || hasBit(segment.buried, at))
        this.#directory.set(segment.pks[at]!, slotOf(segment, at));
      if (at % 1000 === 999) yield;
    }
  }

  get aliveCount(): number {
    return this.segments.reduce((sum, { aliveCount }) => sum + aliveCount, 0);
  }
  get buriedCount(): number {
    return this.segments.reduce((sum, { buriedCount }) => sum + buriedCount, 0);
  }
  /** An estimate: arrays are counted, strings and maps are reckoned. */
  get bytes(): number {
    const segments = this.segments.reduce((sum, { bytes }) => sum + bytes, 0);
    const enums = [...this.layout.dictionaries.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    // A document's pk is shared with its segment, which counts its characters.
    return segments + enums + this.dictionary.bytes + this.#directory.size * 44;
  }
}

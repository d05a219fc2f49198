import type { DocumentFields, FieldValue, Freshness } from '@doska/core/vasgen';
import { lengthCode } from '@doska/core/vasgen';
import { bitWords, clearBit, countBits, grown, hasBit, setBit } from './bits.ts';
import { denseOf, filled, sparseOf, type Column } from './column-shapes.ts';
import type { IndexLayout } from './index-layout.ts';
import { GrowingPostings, sealPostings, type Postings } from './postings.ts';
import { type WordReader, WordStream } from './word-stream.ts';

/** A document in its segment takes 16 bits of a posting. */
export const SEGMENT_DOCUMENTS_MAX = 65_536;
const FIRST_ROOM = 64;
const LENGTH_CODE_MAX = 255;
/** Of the documents of a segment, the share from which a field has a place for each of them. */
const DENSE_SHARE = 1 / 2;
/** A field that falls below this while its segment grows goes back to its values alone. */
const THIN_SHARE = 1 / 8;

/** What is kept of a document beside its fields. */
export type Entry = { readonly pk: string; readonly freshness: Freshness };

export type SegmentParts = Pick<
  Segment,
  | 'pks'
  | 'versions'
  | 'timestamps'
  | 'kinds'
  | 'places'
  | 'columns'
  | 'words'
  | 'alive'
  | 'buried'
  | 'postings'
> & { readonly lengths: readonly Uint8Array<ArrayBuffer>[] };

/**
 * Up to 65,536 documents: every array of the engine belongs to one segment, so no array is large, and what grows is
 * copied within these bounds. Documents are appended and never change; only the bits that say whether they are still
 * the truth do. A deleted document leaves a tombstone: an entry without fields.
 */
export class Segment {
  readonly layout: IndexLayout;
  readonly serial: number;
  count = 0;
  pks: string[] = [];
  versions = new Float64Array(0);
  timestamps = new Float64Array(0);
  kinds = new Uint8Array(0);
  /** The newest state of its document, and alive. */
  alive = new Uint32Array(0);
  /** The newest state of its document, and a tombstone. */
  buried = new Uint32Array(0);
  aliveCount = 0;
  buriedCount = 0;
  /** Of a document where its words are; of a tombstone -1 minus when it was written. */
  places = new Float64Array(0);
  /** Entries from before a rebuild that the rebuild has not said yet. */
  old: Uint32Array | undefined;
  readonly lengths: Uint8Array<ArrayBuffer>[];
  /** The shortest length of each text field, of those that have any words. */
  readonly shortest: number[];
  /** Without any value in this segment a field has no column. */
  columns: (Column | undefined)[] = [];
  words = new WordStream();
  postings: Postings = new GrowingPostings();
  isSealed = false;
  #room = 0;
  #pkChars = 0;

  constructor(layout: IndexLayout, serial: number) {
    this.layout = layout;
    this.serial = serial;
    this.lengths = layout.texts.map(() => new Uint8Array(0));
    this.shortest = layout.texts.map(() => LENGTH_CODE_MAX);
  }

  /** Text fields that the layout has gained: the documents that are here have no words in them. */
  extendTexts(): void {
    while (this.lengths.length < this.layout.texts.length) {
      this.lengths.push(new Uint8Array(this.#room));
      this.shortest.push(LENGTH_CODE_MAX);
    }
  }

  #grow(length: number): void {
    this.#room = length;
    this.versions = grown(this.versions, length);
    this.timestamps = grown(this.timestamps, length);
    this.kinds = grown(this.kinds, length);
    this.alive = grown(this.alive, bitWords(length));
    this.buried = grown(this.buried, bitWords(length));
    this.places = grown(this.places, length);
    this.lengths.forEach((lengths, at) => (this.lengths[at] = grown(lengths, length)));
    this.columns.forEach((column, at) => {
      if (!column || column.kind === 'sparse') return;
      if (filled(column, this.count) < THIN_SHARE * this.count)
        this.columns[at] = sparseOf(column, this.count);
      else column.grow(length);
    });
  }

  /** Documents come in ascending order, each with the values that it has. */
  put(column: number, at: number, value: FieldValue): void {
    // An empty list of values is none.
    if (Array.isArray(value) && value.length === 0) return;
    let kept = (this.columns[column] ??= this.layout.emptyColumn(column));
    if (kept.kind === 'sparse' && kept.isFull && kept.count >= DENSE_SHARE * at) {
      kept = denseOf(kept, this.#room) ?? kept;
      this.columns[column] = kept;
    }
    kept.put(at, value);
  }

  #append({ pk, freshness }: Entry): number {
    if (this.count === this.#room)
      this.#grow(Math.min(SEGMENT_DOCUMENTS_MAX, Math.max(FIRST_ROOM, 2 * this.#room)));
    const at = this.count++;
    this.pks.push(pk);
    this.#pkChars += pk.length;
    this.versions[at] = freshness.version;
    this.timestamps[at] = freshness.timestampMs;
    this.kinds[at] = freshness.kind === 'expiry' ? 1 : 0;
    return at;
  }

  bury(entry: Entry, writtenMs: number): number {
    const at = this.#append(entry);
    this.places[at] = -1 - writtenMs;
    setBit(this.buried, at);
    this.buriedCount++;
    return at;
  }

  /** When the tombstone at a place was written. */
  writtenMs(at: number): number {
    return -1 - this.places[at]!;
  }

  /** `texts` are the terms of each text field, `distinct` the distinct ones; the columns are the caller's to `put`. */
  insert(
    entry: Entry,
    texts: readonly ArrayLike<number>[],
    distinct: { readonly terms: Uint32Array; readonly counts: Uint32Array; readonly length: number },
  ): number {
    const at = this.#append(entry);
    for (let field = 0; field < texts.length; field++) {
      const code = lengthCode(texts[field]!.length);
      this.lengths[field]![at] = code;
      if (code > 0 && code < this.shortest[field]!) this.shortest[field] = code;
    }
    this.places[at] = this.words.append(texts);
    const postings = this.postings as GrowingPostings;
    const high = at << 16;
    for (let term = 0; term < distinct.length; term++)
      postings.add(distinct.terms[term]!, (high | distinct.counts[term]!) >>> 0);
    setBit(this.alive, at);
    this.aliveCount++;
    return at;
  }

  /** No longer the truth about its document. */
  supersede(at: number): 'alive' | 'buried' | 'gone' {
    if (hasBit(this.alive, at)) {
      clearBit(this.alive, at);
      this.aliveCount--;
      return 'alive';
    }
    if (!hasBit(this.buried, at)) return 'gone';
    clearBit(this.buried, at);
    this.buriedCount--;
    return 'buried';
  }

  isOld(at: number): boolean {
    return this.old !== undefined && hasBit(this.old, at);
  }
  markOld(at: number): void {
    this.old ??= new Uint32Array(bitWords(SEGMENT_DOCUMENTS_MAX));
    setBit(this.old, at);
  }
  /** Everything that is here is old from now on; what is appended is not. */
  markAllOld(): void {
    this.old = new Uint32Array(bitWords(SEGMENT_DOCUMENTS_MAX));
    for (let at = 0; at < this.count; at++) setBit(this.old, at);
  }

  freshnessAt(at: number, epoch: number): Freshness {
    return {
      epoch,
      version: this.versions[at]!,
      timestampMs: this.timestamps[at]!,
      kind: this.kinds[at] === 1 ? 'expiry' : 'document',
    };
  }

  putAll(at: number, fields: DocumentFields): void {
    for (const name in fields) {
      const column = this.layout.columnAt.get(name);
      if (column !== undefined) this.put(column, at, fields[name]!);
    }
  }

  /** The document's terms, field after field; nothing for a tombstone. */
  readWords(at: number, out: WordReader): void {
    out.length = 0;
    out.ends.fill(0);
    if (this.places[at]! >= 0) this.words.read(this.places[at]!, out);
  }

  /** Undefined: no document of this segment has a value. */
  column(name: string): Column | undefined {
    return this.columns[this.layout.columnAt.get(name)!];
  }

  #sealed(column: Column): Column {
    const isDense = filled(column, this.count) >= DENSE_SHARE * this.count;
    if (column.kind === 'sparse') return (isDense ? denseOf(column, this.count) : undefined) ?? column;
    return isDense ? column : sparseOf(column, this.count);
  }

  /** Takes no more documents; its postings are finished in slices while it goes on serving. */
  *seal(): Generator<void, void> {
    if (this.isSealed) return;
    const postings = yield* sealPostings(this.postings as GrowingPostings);
    yield;
    for (const [at, column] of this.columns.entries()) {
      if (!column) continue;
      const sealed = this.#sealed(column);
      sealed.seal(this.count);
      this.columns[at] = sealed;
      this.#list(sealed);
      yield;
    }
    this.finish(postings);
  }

  #list(column: Column): void {
    if (column.kind === 'sparse') column.list();
    else if (column.kind === 'enum') column.list(this.count);
  }

  finish(postings: Postings): void {
    this.postings = postings;
    this.isSealed = true;
  }

  /** Becomes the sealed segment that these parts were taken from; the arrays are used as they are. */
  restore(parts: SegmentParts): void {
    this.count = this.#room = parts.pks.length;
    this.pks = parts.pks;
    for (const pk of parts.pks) this.#pkChars += pk.length;
    this.versions = parts.versions;
    this.timestamps = parts.timestamps;
    this.kinds = parts.kinds;
    this.places = parts.places;
    parts.lengths.forEach((lengths, field) => {
      this.lengths[field] = lengths;
      for (const code of lengths) if (code > 0 && code < this.shortest[field]!) this.shortest[field] = code;
    });
    this.columns = parts.columns;
    this.words = parts.words;
    this.alive = parts.alive;
    this.buried = parts.buried;
    this.aliveCount = countBits(parts.alive);
    this.buriedCount = countBits(parts.buried);
    for (const column of this.columns) if (column) this.#list(column);
    this.finish(parts.postings);
  }

  /** Entries that are the truth about nothing. */
  get deadCount(): number {
    return this.count - this.aliveCount - this.buriedCount;
  }

  get bytes(): number {
    const entry = 8 + 8 + 1 + 8 + 2 / 8 + this.lengths.length + 8 + 24;
    const columns = this.columns.reduce((sum, column) => sum + (column?.bytes ?? 0), 0);
    return this.#room * entry + 2 * this.#pkChars + columns + this.words.bytes + this.postings.bytes;
  }
}

import { mkdir, readdir, rm } from 'node:fs/promises';
import type { Analyzer } from '@doska/core/vasgen';
import { SearchIndex } from '../index/search-index.ts';
import type { IndexImage } from './index-image.ts';
import {
  filesOf,
  manifestNumber,
  numberOf,
  readManifest,
  writeManifest,
  type Manifest,
  type SegmentNote,
} from './manifest.ts';
import {
  readSections,
  section,
  syncFolder,
  writeSections,
  type FileNote,
  type Section,
} from './sectioned-file.ts';
import { segmentFrom } from './segment-image.ts';
import { readStrings, stringSections } from './string-sections.ts';

export type LoadOptions = {
  readonly analyzer: Analyzer;
  readonly segmentDocuments?: number;
  readonly horizonMs: number;
};
export type Loaded = { readonly index: SearchIndex; readonly manifest: Manifest };
export type LoadOutcome = {
  readonly loaded?: Loaded;
  /** The newest whole snapshot is of this analyzer, so the index can't be searched with the present one. */
  readonly otherAnalyzer?: string;
  /** Snapshots that could not be used, newest first, and why. Never passed over in silence. */
  readonly damaged: readonly { readonly number: number; readonly reason: string }[];
};

/** More files of terms than this are written together again. */
const TERM_FILES_MAX = 16;

/** Lets other work of the thread run between slices. */
const inSlices = async <T>(work: Generator<void, T>): Promise<T> => {
  for (let slice = 0; ; slice++) {
    const { done, value } = work.next();
    if (done) return value;
    if (slice % 16 === 15) await new Promise((resolve) => setImmediate(resolve));
  }
};

/** The terms and words that came since the last file. */
function* wordSections(image: IndexImage, termsFrom: number, wordsFrom: number): Iterable<Section> {
  yield* stringSections('terms', image.termsFrom(termsFrom));
  yield* stringSections('words', image.wordsFrom(wordsFrom));
  yield section('termsOfWords', image.termsOfWords(wordsFrom));
}

/**
 * The snapshots of one index in one folder. Sealed segments never change, so they are written once and shared by the
 * snapshots that follow; the two newest snapshots are kept, everything else in the folder goes.
 */
export class SnapshotStore {
  readonly #folder: string;
  #kept: Manifest[] = [];
  #number = 0;
  readonly #written = new Map<number, FileNote>();
  #termFiles: readonly FileNote[] = [];
  #termsWritten = 1;
  #wordsWritten = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The newest snapshot that is whole. Leaves the folder as it is: only a new snapshot removes files. */
  async load(options: LoadOptions): Promise<LoadOutcome> {
    const files = await readdir(this.#folder);
    this.#number = Math.max(0, ...files.map(numberOf));
    const numbers = files.map(manifestNumber).filter((number) => number !== undefined);
    const damaged: { number: number; reason: string }[] = [];
    for (const number of numbers.sort((a, b) => b - a)) {
      try {
        const read = await this.#read(number, options);
        return 'index' in read ? { loaded: read, damaged } : { ...read, damaged };
      } catch (cause) {
        damaged.push({ number, reason: cause instanceof Error ? cause.message : String(cause) });
      }
    }
    return { damaged };
  }

  async #read(
    number: number,
    { analyzer, ...options }: LoadOptions,
  ): Promise<Loaded | { readonly otherAnalyzer: string }> {
    const { manifest, arrays } = await readManifest(this.#folder, number);
    if (manifest.analyzer !== analyzer.id) return { otherAnalyzer: manifest.analyzer };
    const index = new SearchIndex({ spec: manifest.spec, analyzer, ...options });
    for (const [name, values] of Object.entries(manifest.enums))
      for (const value of values) index.layout.dictionaries.get(name)!.intern(value);
    for (const note of manifest.terms) {
      const file = await readSections(this.#folder, note.file, note);
      for (const term of readStrings('terms', file.array)) index.dictionary.intern(term!);
      const termsOfWords = file.array('termsOfWords');
      for (const [at, word] of readStrings('words', file.array).entries())
        index.dictionary.addWord(word!, termsOfWords[at]!);
    }
    const frequencies = arrays.array('frequencies');
    for (let id = 1; id < frequencies.length; id++) index.dictionary.count(id, frequencies[id]!);
    manifest.words.forEach((words, field) => (index.words[field] = words));
    const growing: Parameters<SearchIndex['regrow']>[0][] = [];
    for (const [at, note] of manifest.segments.entries()) {
      const file = await readSections(this.#folder, note.file.file, note.file);
      const copy = (name: string): Uint32Array => Uint32Array.from(arrays.array(name));
      const bits = { alive: copy(`alive.${at}`), buried: copy(`buried.${at}`) };
      const segment = segmentFrom(index.layout, note, bits, file.array);
      if (note.isSealed) await inSlices(index.adopt(segment));
      else growing.push(segment);
    }
    for (const segment of growing) await inSlices(index.adopt(await inSlices(index.regrow(segment))));
    this.#kept = [manifest];
    this.#written.clear();
    for (const { serial, isSealed, file } of manifest.segments) if (isSealed) this.#written.set(serial, file);
    this.#termFiles = manifest.terms;
    this.#termsWritten = frequencies.length;
    this.#wordsWritten = index.dictionary.wordCount;
    return { index, manifest };
  }

  /** Afterwards the image is on the disk as a whole; before the last step the snapshots before are untouched. */
  async save(image: IndexImage): Promise<Manifest> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const number = ++this.#number;
    try {
      return await this.#save(image, number);
    } catch (cause) {
      if (this.#kept[0]?.number !== number) await this.#remove(number);
      throw cause;
    }
  }

  /** Removes what a snapshot that failed has written: on a full disk every further one would take more of it. */
  async #remove(number: number): Promise<void> {
    for (const [serial, { file }] of this.#written)
      if (numberOf(file) === number) this.#written.delete(serial);
    const files = (await readdir(this.#folder).catch(() => [])).filter((file) => numberOf(file) === number);
    // The manifest first: what it names is whole as long as it is there.
    for (const file of files.sort((a, b) => Number(!manifestNumber(a)) - Number(!manifestNumber(b))))
      await rm(`${this.#folder}/${file}`, { force: true }).catch(() => undefined);
  }

  async #save(image: IndexImage, number: number): Promise<Manifest> {
    const folder = this.#folder;
    const segments: SegmentNote[] = [];
    for (const { serial, isSealed, sections } of image.segments) {
      const known = isSealed ? this.#written.get(serial) : undefined;
      const name = `${isSealed ? 'segment' : 'open'}-${serial}-${number}.bin`;
      const file = known ?? (await writeSections(folder, name, {}, sections()));
      if (isSealed) this.#written.set(serial, file);
      segments.push({ serial, isSealed, file });
    }
    const again = this.#termFiles.length >= TERM_FILES_MAX;
    const from = again ? 1 : this.#termsWritten;
    const wordsFrom = again ? 0 : this.#wordsWritten;
    const terms = again ? [] : [...this.#termFiles];
    if (image.terms > from || image.wordCount > wordsFrom)
      terms.push(
        await writeSections(folder, `terms-${number}.bin`, {}, wordSections(image, from, wordsFrom)),
      );
    await syncFolder(folder);
    const manifest = await writeManifest(folder, number, image, segments, terms);
    await syncFolder(folder);
    this.#termFiles = terms;
    this.#termsWritten = image.terms;
    this.#wordsWritten = image.wordCount;
    this.#kept = [manifest, ...this.#kept].slice(0, 2);
    await this.#prune();
    return manifest;
  }

  async #prune(): Promise<void> {
    const wanted = new Set(this.#kept.flatMap(filesOf));
    for (const file of await readdir(this.#folder))
      if (!wanted.has(file)) await rm(`${this.#folder}/${file}`, { force: true });
    const serials = new Set(this.#kept.flatMap(({ segments }) => segments.map(({ serial }) => serial)));
    for (const serial of this.#written.keys()) if (!serials.has(serial)) this.#written.delete(serial);
  }
}

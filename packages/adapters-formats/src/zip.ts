import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { FeedSource, ReadLimits } from '@doska/core/feeds';
import { fromRandomAccessReader, RandomAccessReader, type Entry, type ZipFile } from 'yauzl';
import { FileProblem } from './broken.ts';
import { makeBound } from './decoding.ts';
import { openSource, SourceAway } from './source.ts';

/** An archive with more names than this is no feed, whatever is in it. */
const NAMES_MAX = 100;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
/** What systems add to an archive by themselves. */
const IS_EXTRA = /(\/$|^__MACOSX\/|(^|\/)\.DS_Store$)/;

const damaged = (cause: unknown): Error => {
  if (cause instanceof SourceAway || cause instanceof FileProblem) return cause;
  const why = cause instanceof Error ? cause.message : 'unknown';
  return new FileProblem('zip', `the zip archive can't be read: ${why.slice(0, 200)}`);
};

/** The one file of an archive. */
export type ZippedFile = {
  /** Its bytes, unpacked. `onStored` hears how many bytes of the archive were read. */
  readonly open: (onStored: (bytes: number) => void) => AsyncIterable<Uint8Array>;
};

class SourceReader extends RandomAccessReader {
  readonly #source: FeedSource;
  onStored: (bytes: number) => void = () => {};
  constructor(source: FeedSource) {
    super();
    this.#source = source;
  }
  override _readStreamForRange(from: number, to: number): Readable {
    const source = this.#source;
    const tell = (bytes: number): void => this.onStored(bytes);
    const chunks = async function* () {
      for await (const chunk of await openSource(source, { from, to })) {
        tell(chunk.length);
        yield chunk;
      }
    };
    return Readable.from(chunks(), { objectMode: false });
  }
}

const directoryOf = (reader: SourceReader, bytes: number): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true, strictFileNames: false };
    fromRandomAccessReader(reader, bytes, options, (error, zip) =>
      error ? reject(damaged(error)) : resolve(zip),
    );
  });
const entriesOf = (zip: ZipFile): Promise<readonly Entry[]> =>
  new Promise((resolve, reject) => {
    const found: Entry[] = [];
    if (zip.entryCount > NAMES_MAX)
      reject(new FileProblem('zip', `the zip archive has ${zip.entryCount} files; one is expected`));
    zip.on('error', (error: unknown) => reject(damaged(error)));
    zip.on('end', () => resolve(found));
    zip.on('entry', (entry: Entry) => {
      found.push(entry);
      zip.readEntry();
    });
    zip.readEntry();
  });

const isNoExtra = (name: string): boolean => !IS_EXTRA.test(name);
const theFile = (entries: readonly Entry[], isWanted: (name: string) => boolean): Entry => {
  const files = entries.filter(({ fileName }) => isWanted(fileName));
  const [file] = files;
  if (!file) throw new FileProblem('zip', 'the zip archive has no file');
  if (files.length > 1) {
    const names = files.slice(0, 3).map(({ fileName }) => fileName.slice(0, 80));
    throw new FileProblem(
      'zip',
      `the zip archive has ${files.length} files (${names.join(', ')}); one is expected`,
    );
  }
  if ((file.generalPurposeBitFlag & ENCRYPTED) !== 0)
    throw new FileProblem('zip', 'the file in the zip archive has a password');
  if (file.compressionMethod !== STORED && file.compressionMethod !== DEFLATED)
    throw new FileProblem('zip', 'the zip archive is packed in a way that is not supported; use deflate');
  return file;
};

async function* unpacked(zip: ZipFile, entry: Entry, limits: ReadLimits): AsyncIterable<Uint8Array> {
  const stream = await new Promise<Readable>((resolve, reject) =>
    zip.openReadStream(entry, (error, found) => (error ? reject(damaged(error)) : resolve(found))),
  );
  const bound = makeBound(limits, () => entry.compressedSize);
  let checksum = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      checksum = crc32(chunk, checksum);
      yield bound(chunk);
    }
  } catch (cause) {
    throw damaged(cause);
  } finally {
    stream.destroy();
  }
  if (checksum !== entry.crc32)
    throw new FileProblem('zip', 'the file in the zip archive is damaged: its checksum differs');
}

/** Finds the one wanted file of an archive by its directory, which stands at its end. Nothing is written to the disk. */
export const zippedFile = async (
  source: FeedSource,
  limits: ReadLimits,
  isWanted: (name: string) => boolean = isNoExtra,
): Promise<ZippedFile> => {
  const reader = new SourceReader(source);
  const zip = await directoryOf(reader, source.bytes);
  const entry = theFile(await entriesOf(zip), isWanted);
  return {
    open: (onStored) => {
      reader.onStored = onStored;
      return unpacked(zip, entry, limits);
    },
  };
};

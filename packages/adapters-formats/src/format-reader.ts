import type {
  BrokenFile,
  FeedFormat,
  FeedReader,
  FeedSource,
  ReadLimits,
  ReadOptions,
  ReadStep,
} from '@doska/core/feeds';
import { unavailable, type Unavailable } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { FileProblem } from './broken.ts';
import { compressionOf, decoded, encodingOf, textOf } from './decoding.ts';
import { jsonOfferParser } from './json/json-offers.ts';
import { openSource, SourceAway } from './source.ts';
import { offerParser, type OfferParser } from './xml/xml-offers.ts';
import { zippedFile } from './zip.ts';

const HEAD_BYTES = 4_096;
const TAIL_BYTES = 16_384;
const ROOT_END = /<\/feed\s*>|<feed[^<>]*\/>/g;
/** Comments, instructions and blanks, step by step: a regular expression would need ages for many broken comments. */
const isOnlyMisc = (text: string, from: number): boolean => {
  for (let at = from; at < text.length;) {
    const [open, close] = text.startsWith('<!--', at) ? ['<!--', '-->'] : ['<?', '?>'];
    if (text.startsWith(open, at)) {
      const end = text.indexOf(close, at + open.length);
      if (end < 0) return false;
      at = end + close.length;
    } else if (text[at]!.trim() === '') at += 1;
    else return false;
  }
  return true;
};
/** Whether the root element ends here. Behind it there may be comments, instructions and blanks. */
const hasRootEnd = (text: string): boolean =>
  [...text.matchAll(ROOT_END)].some(({ 0: tag, index }) => isOnlyMisc(text, index + tag.length));
const JSON_END = /\}\s*$/;

const together = (chunks: readonly Uint8Array[]): Uint8Array => Buffer.concat(chunks);
const all = async (chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const found: Uint8Array[] = [];
  for await (const chunk of chunks) found.push(chunk);
  return together(found);
};

type Ends = { readonly head: Uint8Array; readonly tail: Uint8Array };
const endsOfChunks = async (chunks: AsyncIterable<Uint8Array>): Promise<Ends> => {
  let head: Uint8Array = new Uint8Array();
  let tail: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    if (head.length < HEAD_BYTES) head = together([head, chunk]).subarray(0, HEAD_BYTES);
    const last = together([tail, chunk]);
    tail = last.subarray(Math.max(0, last.length - TAIL_BYTES));
  }
  return { head, tail };
};
/** A file without its packing. It can be read several times. */
type Unpacked = {
  /** The first and the last bytes. A packed file is unpacked for it, so its checksum is checked too. */
  readonly ends: () => Promise<Ends>;
  readonly chunks: (onStored: (bytes: number) => void) => AsyncIterable<Uint8Array>;
};
const unpackedOf = async (source: FeedSource, limits: ReadLimits): Promise<Unpacked> => {
  const first = await all(await openSource(source, { from: 0, to: Math.min(4, source.bytes) }));
  const compression = compressionOf(first);
  if (compression === 'zip') {
    const { open } = await zippedFile(source, limits);
    return { ends: () => endsOfChunks(open(() => {})), chunks: open };
  }
  const stored = async function* (onStored: (bytes: number) => void) {
    for await (const chunk of await openSource(source)) {
      onStored(chunk.length);
      yield chunk;
    }
  };
  const chunks: Unpacked['chunks'] = (onStored) => decoded(stored(onStored), compression, limits);
  return {
    chunks,
    ends: async () => {
      if (compression !== 'none') return endsOfChunks(chunks(() => {}));
      const from = Math.max(0, source.bytes - TAIL_BYTES);
      const tail = await all(await openSource(source, { from }));
      const head = from === 0 ? tail : await all(await openSource(source, { from: 0, to: HEAD_BYTES }));
      return { head: head.subarray(0, HEAD_BYTES), tail };
    },
  };
};
const looseText = (bytes: Uint8Array, encoding: string): string => {
  const name = encoding === 'cp1251' ? 'windows-1251' : encoding;
  const isWide = name.startsWith('utf-16');
  // A cut in the middle of a character must not shift the others.
  const even = isWide && bytes.length % 2 === 1 ? bytes.subarray(1) : bytes;
  try {
    return new TextDecoder(name).decode(even);
  } catch {
    throw new FileProblem('encoding', `the encoding ${encoding} is not supported`);
  }
};

/** What the file is, by its content, and whether it has its end. */
const recognised = (
  { head, tail }: Ends,
  wanted: FeedFormat,
): { readonly format: 'doska-xml' | 'doska-json'; readonly encoding: string } => {
  if (compressionOf(head) !== 'none')
    throw new FileProblem('format', 'this is an archive in an archive; pack the file once');
  const encoding = encodingOf(head);
  const start = looseText(head, encoding)
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (start === '') throw new FileProblem('empty', 'the file is empty');
  const isXml = start.startsWith('<');
  const isJson = start.startsWith('{');
  if (/^<!doctype\s+html|^<html/i.test(start))
    throw new FileProblem('html', 'this is an HTML page, not a feed; check the link in a browser', {
      line: 1,
      column: 1,
    });
  const format = isXml ? 'doska-xml' : isJson ? 'doska-json' : undefined;
  if (!format) throw new FileProblem('format', 'this is neither XML nor JSON', { line: 1, column: 1 });
  if (wanted !== 'auto' && wanted !== format)
    throw new FileProblem('format', `the feed is set to ${wanted}, but the file is ${format}`, {
      line: 1,
      column: 1,
    });
  const end = looseText(tail, encoding);
  const isWhole = isXml ? hasRootEnd(end) : JSON_END.test(end);
  const isOurs =
    !isXml ||
    /<feed[\s>/]/.test(start) ||
    !/<[A-Za-z]/.test(start.replace(/<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>]*>/g, ''));
  // A file with another root is refused by the parser, which names the root.
  if (!isWhole && isOurs)
    throw new FileProblem('truncated', `the file is cut off: its end is missing; nothing was sent`);
  return { format, encoding };
};

async function* steps(
  source: FeedSource,
  { format, limits, parsedFrom }: ReadOptions,
): AsyncIterable<ReadStep> {
  if (source.bytes === 0) throw new FileProblem('empty', 'the file is empty');
  const unpacked = await unpackedOf(source, limits);
  const found = recognised(await unpacked.ends(), format);
  const parser: OfferParser =
    found.format === 'doska-xml' ? offerParser(limits) : jsonOfferParser(limits, parsedFrom);
  let bytesRead = 0;
  const chunks = unpacked.chunks((bytes) => void (bytesRead += bytes));
  for await (const { text } of textOf(chunks, found.encoding)) {
    const { offers, warnings } = parser.write(text);
    yield { offers, warnings, bytesRead };
  }
  parser.close();
}

/** Reads our XML and our JSON, plain, as gzip or as the one file of a zip archive, in UTF-8, UTF-16 or windows-1251. */
export const formatReader = (): FeedReader => ({
  read: async function* (source, options): AsyncGenerator<Result<ReadStep, BrokenFile | Unavailable>> {
    try {
      for await (const step of steps(source, options)) yield ok(step);
    } catch (cause) {
      if (cause instanceof FileProblem) yield err(cause.broken);
      else yield err(cause instanceof SourceAway ? cause.reason : unavailable('feed file', cause));
    }
  },
});

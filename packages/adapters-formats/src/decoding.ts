import { createGunzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadLimits } from '@doska/core/feeds';
import { FileProblem } from './broken.ts';
import { utf8Decoder } from './utf8-text.ts';

export type Compression = 'none' | 'gzip' | 'zip';
export const compressionOf = (head: Uint8Array): Compression => {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  return head[0] === 0x50 && head[1] === 0x4b ? 'zip' : 'none';
};

/** A small file may well be compressed a lot: the ratio counts from here on. */
const RATIO_FROM_BYTES = 16 << 20;

/** Lets chunks through until there are too many of them, or too many for what is stored. */
export const makeBound = (
  { decodedBytesMax, ratioMax }: ReadLimits,
  stored: () => number,
): ((chunk: Uint8Array) => Uint8Array) => {
  let total = 0;
  return (chunk) => {
    total += chunk.length;
    if (total > decodedBytesMax)
      throw new FileProblem('TooLarge', `the file has more than ${decodedBytesMax} bytes`);
    if (total > RATIO_FROM_BYTES && total > stored() * ratioMax)
      throw new FileProblem('TooLarge', `the file grows more than ${ratioMax} times when it is unpacked`);
    return chunk;
  };
};

/** The decoded bytes. Throws `FileProblem` for a broken or cut archive, and for one that grows beyond the limits. */
export async function* decoded(
  chunks: AsyncIterable<Uint8Array>,
  compression: 'none' | 'gzip',
  limits: ReadLimits,
): AsyncIterable<Uint8Array> {
  let stored = 0;
  const counted = async function* () {
    for await (const chunk of chunks) {
      stored += chunk.length;
      yield chunk;
    }
  };
  const bounded = makeBound(limits, () => stored);
  if (compression === 'none') {
    for await (const chunk of counted()) yield bounded(chunk);
    return;
  }
  const gunzip = createGunzip();
  const fed = pipeline(Readable.from(counted()), gunzip).catch(() => undefined);
  try {
    for await (const chunk of gunzip) yield bounded(chunk as Uint8Array);
  } catch (cause) {
    if (cause instanceof FileProblem) throw cause;
    const { code = '' } = cause as { readonly code?: string };
    if (!code.startsWith('Z_')) throw cause;
    throw new FileProblem(
      'gzip',
      code === 'Z_BUF_ERROR' ? 'the gzip file is cut off' : 'the gzip file is damaged',
    );
  } finally {
    gunzip.destroy();
    await fed;
  }
}

const DECLARED = /^<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']/;
/** By the byte order mark, else by the declaration of XML, else UTF-8. */
export const encodingOf = (head: Uint8Array): string => {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  if (head[0] === 0x3c && head[1] === 0) return 'utf-16le';
  if (head[0] === 0 && head[1] === 0x3c) return 'utf-16be';
  const start = head[0] === 0xef ? 3 : 0;
  const text = String.fromCharCode(...head.subarray(start, start + 200));
  return (DECLARED.exec(text)?.[1] ?? 'utf-8').toLowerCase();
};
const ENCODINGS = new Set(['utf-8', 'utf8', 'utf-16', 'utf-16le', 'utf-16be', 'windows-1251', 'cp1251']);

const decoderOf = (encoding: string): { readonly decode: (chunk: Uint8Array | undefined) => string } => {
  if (encoding === 'utf-8' || encoding === 'utf8') return utf8Decoder();
  const decoder = new TextDecoder(encoding === 'cp1251' ? 'windows-1251' : encoding, { fatal: true });
  return { decode: (chunk) => decoder.decode(chunk, { stream: chunk !== undefined }) };
};

/** Text of a file in its encoding. Throws `FileProblem` for an encoding that is not known, and for bytes that are no text of it. */
export async function* textOf(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncIterable<{ readonly text: string; readonly bytes: number }> {
  if (!ENCODINGS.has(encoding))
    throw new FileProblem('encoding', `the encoding ${encoding} is not supported`);
  const decoder = decoderOf(encoding);
  let line = 1;
  const decode = (chunk: Uint8Array | undefined): string => {
    try {
      return decoder.decode(chunk);
    } catch {
      throw new FileProblem(
        'encoding',
        `the file is not ${encoding} near this line; save it as ${encoding} or name its encoding`,
        { line },
      );
    }
  };
  for await (const chunk of chunks) {
    const text = decode(chunk);
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) line += 1;
    yield { text, bytes: chunk.length };
  }
  const rest = decode(undefined);
  if (rest !== '') yield { text: rest, bytes: 0 };
}

import { isUtf8 } from 'node:buffer';
import type { FoundSnippet } from '@doska/core/snippets';

const OPEN = Buffer.from('{');
const CLOSE = Buffer.from('}');
const COMMA = Buffer.from(',');

const isText = ({ content }: FoundSnippet): boolean => content.format === 'raw' && isUtf8(content.bytes);
const valueOf = (found: FoundSnippet): Uint8Array => {
  const { format, bytes } = found.content;
  if (format === 'json') return bytes;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return Buffer.from(JSON.stringify(buffer.toString(isText(found) ? 'utf8' : 'base64')));
};

/** JSON with the absolute names as keys. Stored JSON stands in it byte by byte, so long numbers and the order of keys survive. */
export const answerBody = (found: readonly FoundSnippet[]): Buffer => {
  const pieces: Uint8Array[] = [OPEN];
  for (const [i, one] of found.entries()) {
    if (i > 0) pieces.push(COMMA);
    pieces.push(Buffer.from(`"${one.name}":`), valueOf(one));
  }
  pieces.push(CLOSE);
  return Buffer.concat(pieces);
};

/** The names of contents that stand in base64, for the header `Doska-Base64`. */
export const base64Names = (found: readonly FoundSnippet[]): readonly string[] =>
  found.filter((one) => one.content.format !== 'json' && !isText(one)).map(({ name }) => name);

import type { FileHandle } from 'node:fs/promises';
import { err, ok, type Result } from 'neverthrow';

/** A line without its end. `nextOffset` is the byte behind it. */
export type TextLine = { readonly text: string; readonly nextOffset: number };
export type Unreadable = { readonly message: string };

const CHUNK_BYTES = 1 << 16;
/** A longer line is no line of a table. */
const LINE_BYTES_MAX = 1 << 16;
const NEWLINE = 10;

/** Lines from an offset to the end of a file. A last line without an end is an error: then the file is cut. */
export async function* readLines(
  file: FileHandle,
  from: number,
): AsyncGenerator<Result<TextLine, Unreadable>> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest: Uint8Array = new Uint8Array();
  let offset = from;
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, offset + rest.length);
    if (bytesRead === 0) {
      if (rest.length > 0) yield err({ message: 'the line has no end: the table is cut' });
      return;
    }
    let bytes: Uint8Array = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE)) {
      offset += end + 1;
      let text: string;
      try {
        text = decoder.decode(bytes.subarray(0, end));
      } catch {
        yield err({ message: 'the line is no UTF-8 text' });
        return;
      }
      yield ok({ text: text.endsWith('\r') ? text.slice(0, -1) : text, nextOffset: offset });
      bytes = bytes.subarray(end + 1);
    }
    if (bytes.length > LINE_BYTES_MAX) {
      yield err({ message: `the line is longer than ${LINE_BYTES_MAX} bytes` });
      return;
    }
    rest = bytes;
  }
}

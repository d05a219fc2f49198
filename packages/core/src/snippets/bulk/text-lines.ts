/** A line without its end, or the fact that it is longer than allowed. */
export type TextLine = { readonly number: number; readonly bytes: Uint8Array | 'tooLong' };

const NEWLINE = 0x0a;
const RETURN = 0x0d;

const joined = (pieces: readonly Uint8Array[], length: number): Uint8Array => {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
};
const isBlank = (bytes: Uint8Array): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === RETURN);

/** Splits bytes into lines. Blank lines are counted and left out. A line that is too long is not kept in memory. */
export async function* textLines(
  pieces: AsyncIterable<Uint8Array>,
  lineBytesMax: number,
): AsyncGenerator<TextLine> {
  let number = 0;
  let kept: Uint8Array[] = [];
  let length = 0;
  const finished = (): TextLine | undefined => {
    number++;
    const line = length > lineBytesMax ? ('tooLong' as const) : joined(kept, length);
    kept = [];
    length = 0;
    return line !== 'tooLong' && isBlank(line) ? undefined : { number, bytes: line };
  };
  const keep = (piece: Uint8Array): void => {
    length += piece.length;
    if (length > lineBytesMax) kept = [];
    else kept.push(piece);
  };
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      keep(piece.subarray(from, end));
      from = end + 1;
      const line = finished();
      if (line) yield line;
    }
    if (from < piece.length) keep(piece.subarray(from));
  }
  const last = length > 0 ? finished() : undefined;
  if (last) yield last;
}

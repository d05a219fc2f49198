/** Where a record stands in its segment. */
export type SegmentSlice = { readonly offset: number; readonly length: number };

/** `doska archive`, and the version of what follows: the length of the name, the name, and records behind their lengths. */
const MAGIC = new TextEncoder().encode('dska');
const VERSION = 1;
const LENGTH_BYTES = 4;

/**
 * Many records in one piece of bytes, each readable by its slice alone. The unique name makes the content
 * like no other: a segment that is put again is another blob, so what was deleted never comes back under its hash. With
 * the lengths in front of the records, a segment can be read without any pointer.
 */
export const segmentOf = (
  name: string,
  records: readonly Uint8Array[],
): { readonly bytes: Uint8Array; readonly slices: readonly SegmentSlice[] } => {
  const label = new TextEncoder().encode(name);
  const start = MAGIC.length + 2 + label.length;
  const bytes = new Uint8Array(start + records.reduce((sum, one) => sum + LENGTH_BYTES + one.length, 0));
  bytes.set(MAGIC);
  bytes.set([VERSION, label.length], MAGIC.length);
  bytes.set(label, MAGIC.length + 2);
  const numbers = new DataView(bytes.buffer);
  let at = start;
  const slices = records.map(({ length }, i) => {
    numbers.setUint32(at, length, true);
    const offset = at + LENGTH_BYTES;
    bytes.set(records[i]!, offset);
    at = offset + length;
    return { offset, length };
  });
  return { bytes, slices };
};

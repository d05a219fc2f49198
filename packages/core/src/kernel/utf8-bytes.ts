const isHighHalf = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
const isLowHalf = (unit: number): boolean => (unit & 0xfc00) === 0xdc00;

/** The length of a text in UTF-8 bytes, without encoding it, because it is needed for every record. */
export const utf8Bytes = (text: string): number => {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // Both halves of a surrogate pair count two; a half alone is encoded as U+FFFD, three bytes.
    if (unit >= 0xd800 && isHighHalf(unit) && at + 1 < text.length && isLowHalf(text.charCodeAt(at + 1)))
      at++;
  }
  return bytes;
};

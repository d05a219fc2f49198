/** How many bytes a text has as UTF-8, without making them: this may be asked of every record. */
export const utf8Bytes = (text: string): number => {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // Both halves of a surrogate pair count two; a half alone is encoded as U+FFFD, three bytes.
    const isPaired =
      unit >= 0xd800 &&
      unit < 0xdc00 &&
      at + 1 < text.length &&
      (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    bytes += unit < 0x800 ? 1 : 2;
    if (isPaired) at++;
  }
  return bytes;
};

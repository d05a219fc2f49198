const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const VALUES = new Map([...ALPHABET].map((char, value) => [char, value]));

/** Without padding; safe in a path, a query and a header. */
export const toBase64Url = (bytes: Uint8Array): string => {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 6; bits -= 6) text += ALPHABET[(held >> (bits - 6)) & 63]!;
    held &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET[(held << (6 - bits)) & 63]! : text;
};

/** Undefined for whatever `toBase64Url` does not write: every byte array has exactly one spelling. */
export const fromBase64Url = (text: string): Uint8Array | undefined => {
  const bytes = new Uint8Array((text.length * 6) >> 3);
  let at = 0;
  let bits = 0;
  let held = 0;
  for (const char of text) {
    const value = VALUES.get(char);
    if (value === undefined) return undefined;
    held = (held << 6) | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = held >> bits;
    held &= (1 << bits) - 1;
  }
  return bits < 6 && held === 0 ? bytes : undefined;
};

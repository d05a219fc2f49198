const between =
  (from: string, to: string) =>
  (c: string | undefined): boolean =>
    c !== undefined && c >= from && c <= to;

export const isDigit = between('0', '9');
export const isOctal = between('0', '7');
export const isHex = (c: string | undefined): boolean => c !== undefined && /^[0-9a-fA-F]$/.test(c);
export const isLetter = (c: string | undefined): boolean => c !== undefined && /^[A-Za-z_]$/.test(c);
export const isWordPart = (c: string | undefined): boolean => isLetter(c) || isDigit(c);

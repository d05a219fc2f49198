const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Chinese, Japanese and Korean letters, and signs as wide as them. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;

const widthOf = (grapheme: string): number => {
  if (INVISIBLE.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
};

/** How many columns of a terminal a text takes. */
export const textWidth = (text: string): number => {
  // Most texts are plain.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += widthOf(segment);
  return width;
};

export const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - textWidth(text)));

/** At most `width` columns. What is cut off is shown by `…`. */
export const cutTo = (text: string, width: number): string => {
  if (textWidth(text) <= width) return text;
  let cut = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const next = widthOf(segment);
    if (used + next > width - 1) break;
    cut += segment;
    used += next;
  }
  return width > 0 ? `${cut}…` : '';
};

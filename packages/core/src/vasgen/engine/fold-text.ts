/** Letters and digits of the basic plane; everything else parts words. Filled as characters are met: 1 = part of a word, 2 = not. */
const classes = new Uint8Array(0x10000);
const WORD_PART = /[\p{L}\p{N}]/u;
const isWordPart = (code: number): boolean => {
  const known = classes[code];
  if (known !== 0) return known === 1;
  const part = WORD_PART.test(String.fromCharCode(code));
  classes[code] = part ? 1 : 2;
  return part;
};

const PLAIN = /^[\u0000-\u007f\u0410-\u044f]*$/;
/** Letters that Unicode does not take apart into a plain letter and an accent. */
const WHOLE_LETTERS: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  ß: 'ss',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ŧ: 't',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
};
const WHOLE_LETTER = new RegExp(`[${Object.keys(WHOLE_LETTERS).join('')}]`, 'g');
/** Soft hyphens, zero-width characters and marks of direction: they are not seen, so they do not part words. */
const INVISIBLE = /[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]/g;
const ACCENTED_LATIN = /[\u00c0-\u024f\u1e00-\u1eff]/g;
const COMBINING = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]/g;

/** Unicode NFKC, lower case, ё = е, letters without accents (but й stays й): the same for documents and queries. */
export const foldText = (text: string): string => {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text
    .replace(INVISIBLE, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replace(WHOLE_LETTER, (letter) => WHOLE_LETTERS[letter] ?? letter)
    .replace(ACCENTED_LATIN, (letter) => letter.normalize('NFD').charAt(0))
    .replace(COMBINING, '');
};

/** Longer runs are cut, so that a term is bounded: people do not search for them. */
const WORD_CHARS_MAX = 64;

/** The words of a folded text, in order: runs of letters and digits. */
export const wordsOf = (folded: string): string[] => {
  const words: string[] = [];
  let start = -1;
  for (let at = 0; at < folded.length; at++) {
    if (isWordPart(folded.charCodeAt(at))) {
      if (start < 0) start = at;
    } else if (start >= 0) {
      words.push(folded.slice(start, Math.min(at, start + WORD_CHARS_MAX)));
      start = -1;
    }
  }
  if (start >= 0) words.push(folded.slice(start, start + WORD_CHARS_MAX));
  return words;
};

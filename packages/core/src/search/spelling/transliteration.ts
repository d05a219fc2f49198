/** Longest first: `shch` before `sh`. */
const TO_RUSSIAN: readonly (readonly [string, readonly string[]])[] = [
  ['shch', ['щ']],
  ['sch', ['щ', 'ш']],
  ['zh', ['ж']],
  ['kh', ['х']],
  ['ts', ['ц']],
  ['tz', ['ц']],
  ['ch', ['ч']],
  ['sh', ['ш']],
  ['yu', ['ю']],
  ['ju', ['ю']],
  ['ya', ['я']],
  ['ja', ['я']],
  ['yo', ['е']],
  ['jo', ['е']],
  ['ye', ['е']],
  ['ph', ['ф']],
  ['ck', ['к']],
  ['iy', ['ий']],
  ['a', ['а']],
  ['b', ['б']],
  ['c', ['к', 'ц']],
  ['d', ['д']],
  ['e', ['е', 'э']],
  ['f', ['ф']],
  ['g', ['г']],
  ['h', ['х']],
  ['i', ['и']],
  ['j', ['й', 'ж']],
  ['k', ['к']],
  ['l', ['л', 'ль']],
  ['m', ['м']],
  ['n', ['н']],
  ['o', ['о']],
  ['p', ['п']],
  ['q', ['к']],
  ['r', ['р']],
  ['s', ['с']],
  ['t', ['т']],
  ['u', ['у']],
  ['v', ['в']],
  ['w', ['в', 'ш']],
  ['x', ['кс', 'х']],
  ['y', ['ы', 'й', 'и']],
  ['z', ['з']],
  ["'", ['ь']],
];
const TO_LATIN: readonly (readonly [string, readonly string[]])[] = [
  ['кс', ['x', 'ks']],
  ['дж', ['j', 'dzh']],
  ['ай', ['i', 'ai', 'ay']],
  ['ей', ['ey', 'ei']],
  ['а', ['a', 'u']],
  ['б', ['b']],
  ['в', ['v', 'w']],
  ['г', ['g', 'h']],
  ['д', ['d']],
  ['е', ['e']],
  ['ж', ['zh', 'g']],
  ['з', ['z', 's']],
  ['и', ['i', 'ee', 'y']],
  ['й', ['y', 'i']],
  ['к', ['k', 'c']],
  ['л', ['l']],
  ['м', ['m']],
  ['н', ['n', 'ne']],
  ['о', ['o']],
  ['п', ['p']],
  ['р', ['r']],
  ['с', ['s', 'c']],
  ['т', ['t']],
  ['у', ['u', 'oo']],
  ['ф', ['f', 'ph']],
  ['х', ['h', 'kh']],
  ['ц', ['ts', 'c']],
  ['ч', ['ch']],
  ['ш', ['sh', 'ch']],
  ['щ', ['shch']],
  ['ъ', ['']],
  ['ы', ['y']],
  ['ь', ['']],
  ['э', ['e', 'a']],
  ['ю', ['yu', 'u']],
  ['я', ['ya', 'ia']],
];

/** More spellings than this are not tried. */
const VARIANTS_MAX = 64;

/** How a folded word may be written in the other alphabet, the likeliest first. Empty: it has letters of both, or others. */
export const transliterations = (word: string): readonly string[] => {
  const table = /^[a-z']+$/.test(word) ? TO_RUSSIAN : /^[а-я]+$/.test(word) ? TO_LATIN : [];
  if (table.length === 0) return [];
  let variants = [''];
  for (let at = 0; at < word.length;) {
    const found = table.find(([letters]) => word.startsWith(letters, at));
    if (!found) return [];
    const [letters, choices] = found;
    const next: string[] = [];
    for (const choice of choices)
      for (const variant of variants) if (next.length < VARIANTS_MAX) next.push(variant + choice);
    variants = next;
    at += letters.length;
  }
  return variants;
};

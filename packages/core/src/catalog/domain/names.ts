export type Language = 'ru' | 'en';
export const LANGUAGES: readonly Language[] = ['ru', 'en'];

/** What people call a thing, and what else they call it. */
export type Names = {
  readonly ru: string;
  readonly en: string;
  readonly synonyms: { readonly ru: readonly string[]; readonly en: readonly string[] };
};

/** Two spellings that a person takes for one: case, ё, blanks and hyphens don't tell names apart. */
export const fold = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replace(/[\s\-‐-―_]+/g, ' ')
    .trim();

/** Folding is the dear part of checking and looking up, and the same names are asked for in every category. */
const known = new WeakMap<Names, ReadonlySet<string>>();

/** Every folded spelling of both languages, once each. */
export const spellings = (names: Names): ReadonlySet<string> => {
  const found =
    known.get(names) ?? new Set([names.ru, names.en, ...names.synonyms.ru, ...names.synonyms.en].map(fold));
  known.set(names, found);
  return found;
};

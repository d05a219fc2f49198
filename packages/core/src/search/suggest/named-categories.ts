import type { Catalog, CategoryId, Names } from '../../catalog/index.ts';
import type { Analyzer } from '../../vasgen/index.ts';

type Named = { readonly id: CategoryId; readonly spellings: readonly (readonly string[])[] };
const known = new WeakMap<Catalog, readonly Named[]>();

const spellingsOf = ({ ru, en, synonyms }: Names): readonly string[] => [
  ru,
  en,
  ...synonyms.ru,
  ...synonyms.en,
];
/** The folded words of each name and synonym of every living category below the root. */
const namedOf = (catalog: Catalog, analyzer: Pick<Analyzer, 'words'>): readonly Named[] => {
  const found = known.get(catalog);
  if (found) return found;
  const named = catalog.content.categories
    .filter(({ id, retired }) => !retired && id !== catalog.root.id)
    .map(({ id, names }) => ({ id, spellings: spellingsOf(names).map((name) => analyzer.words(name)) }));
  known.set(catalog, named);
  return named;
};

/** Every word but the last stands in the name; the last one may be unfinished. */
const fits = (name: readonly string[], words: readonly string[]): boolean =>
  words.every((word, at) =>
    at === words.length - 1 ? name.some((one) => one.startsWith(word)) : name.includes(word),
  );

/** The categories that one of their names completes the words to, in the order of the catalogue. */
export const namedCategories = (
  catalog: Catalog,
  analyzer: Pick<Analyzer, 'words'>,
  words: readonly string[],
): readonly CategoryId[] =>
  words.length === 0
    ? []
    : namedOf(catalog, analyzer)
        .filter(({ spellings }) => spellings.some((name) => fits(name, words)))
        .map(({ id }) => id);

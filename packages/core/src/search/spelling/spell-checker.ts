import type { Catalog, Names } from '../../catalog/index.ts';
import type { Analyzer } from '../../vasgen/index.ts';
import { otherLayout } from './keyboard.ts';
import { transliterations } from './transliteration.ts';
import { editsMaxOf, type WordIndex } from './word-index.ts';

/** Why a word was changed: letters are wrong, the keyboard had another layout, or it was written in the other alphabet. */
export type SpellingReason = 'typo' | 'layout' | 'transliteration';
export type CorrectedWord = { readonly from: string; readonly to: string; readonly reason: SpellingReason };
export type Correction = { readonly text: string; readonly words: readonly CorrectedWord[] };

export type SpellChecker = {
  /** Undefined: nothing to correct, or the words of the index are not read yet. */
  correct(text: string, catalog: Catalog | undefined): Correction | undefined;
};

/** The words of an index: what they are near to, and the stems that are known. */
export type Dictionary = { readonly words: WordIndex; readonly terms: ReadonlySet<string> };
export type SpellNeeds = {
  readonly analyzer: Pick<Analyzer, 'terms' | 'words'>;
  readonly dictionary: Dictionary;
  readonly catalog: Catalog | undefined;
};

const namesIn = ({ content }: Catalog): readonly Names[] => [
  ...content.categories.map(({ names }) => names),
  ...content.attributes.flatMap(({ names, type }) => [
    names,
    ...(type.kind === 'dictionary' ? type.values.map((value) => value.names) : []),
  ]),
];
type CatalogWords = { readonly terms: ReadonlySet<string>; readonly ids: ReadonlySet<string> };
const NO_WORDS: CatalogWords = { terms: new Set(), ids: new Set() };
const wordsOfCatalog = new WeakMap<Catalog, CatalogWords>();
/** The stems of all names and synonyms, and all ids: such a word is right even if no offer has it. */
const catalogWords = (catalog: Catalog, analyzer: Pick<Analyzer, 'terms'>): CatalogWords => {
  const known = wordsOfCatalog.get(catalog);
  if (known) return known;
  const terms = new Set<string>();
  for (const { ru, en, synonyms } of namesIn(catalog))
    for (const text of [ru, en, ...synonyms.ru, ...synonyms.en])
      for (const term of analyzer.terms(text)) terms.add(term);
  const { categories, attributes } = catalog.content;
  const ids = new Set<string>([...categories, ...attributes].map(({ id }) => id.toLowerCase()));
  for (const { type } of attributes)
    if (type.kind === 'dictionary') for (const { id } of type.values) ids.add(id.toLowerCase());
  const words = { terms, ids };
  wordsOfCatalog.set(catalog, words);
  return words;
};

/** Numbers, ids, addresses and models are written as they are meant. */
const LITERAL = /[\p{N}_@#/\\:+=%]/u;
const ONE_ALPHABET = /^(?:[а-я]+|[a-z]+)$/;
/** A mistake that is more likely than another layout or alphabet. */
const LIKELY_COST = 0.7;
/** Shorter words are not looked for in another alphabet: too many short words are something in both. */
const OTHER_ALPHABET_CHARS_MIN = 3;

/** A text with its misspelled words replaced; undefined if there is nothing to correct, or no better word is known. */
export const correctText = (
  text: string,
  { analyzer, dictionary: { words, terms }, catalog }: SpellNeeds,
): Correction | undefined => {
  const named = catalog ? catalogWords(catalog, analyzer) : NO_WORDS;
  const isKnown = (word: string): boolean => {
    const [term = ''] = analyzer.terms(word);
    return term === '' || terms.has(term) || named.terms.has(term);
  };
  const isIndexed = (word: string): boolean => {
    const [term = ''] = analyzer.terms(word);
    return term !== '' && terms.has(term);
  };
  const inOtherLayout = (token: string): string | undefined => {
    const other = otherLayout(token);
    if (other === undefined || other.length < OTHER_ALPHABET_CHARS_MIN) return undefined;
    const parts = analyzer.words(other);
    return parts.length > 0 && parts.every(isIndexed) ? parts.join(' ') : undefined;
  };
  /** A word with at most one likely mistake in the other alphabet. */
  const nearInOtherAlphabet = (word: string, variants: readonly string[]): string | undefined => {
    if (editsMaxOf(word.length) === 0) return undefined;
    for (const variant of variants) {
      const near = words.nearest(variant, 1);
      if (near && near.cost < 1) return near.word;
    }
    return undefined;
  };
  const corrected: CorrectedWord[] = [];
  const change = (from: string, to: string, reason: SpellingReason): string => {
    corrected.push({ from, to, reason });
    return to;
  };
  const correctWord = (word: string): string => {
    if (!ONE_ALPHABET.test(word) || isKnown(word)) return word;
    const variants = word.length < OTHER_ALPHABET_CHARS_MIN ? [] : transliterations(word);
    const near = words.nearest(word);
    if (near && near.cost <= LIKELY_COST) return change(word, near.word, 'typo');
    const exact = variants.find((variant) => words.documentsOf(variant) > 0);
    if (exact !== undefined) return change(word, exact, 'transliteration');
    if (near) return change(word, near.word, 'typo');
    const other = nearInOtherAlphabet(word, variants);
    return other === undefined ? word : change(word, other, 'transliteration');
  };
  const correctToken = (token: string): string => {
    if (token === '' || LITERAL.test(token) || named.ids.has(token.toLowerCase())) return token;
    const parts = analyzer.words(token);
    if (parts.length === 0 || parts.every(isKnown)) return token;
    const near = parts.length === 1 ? words.nearest(parts[0]!) : undefined;
    const typed = near && near.cost <= LIKELY_COST ? undefined : inOtherLayout(token);
    if (typed !== undefined) return change(token, typed, 'layout');
    return parts.map(correctWord).join(' ');
  };
  const result = text
    .split(/\s+/)
    .map(correctToken)
    .filter((token) => token !== '')
    .join(' ');
  return corrected.length > 0 ? { text: result, words: corrected } : undefined;
};

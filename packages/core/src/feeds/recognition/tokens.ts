import type { Analyzer } from '../../vasgen/index.ts';

/** A word that can be found, and how it stands in its text. */
export type Token = {
  /** Its stem. */
  readonly term: string;
  readonly word: string;
  /** Behind a preposition: it says what the thing has, or where it is, more often than what it is. */
  readonly isAside: boolean;
  /** Behind «для», "for": it is another thing. */
  readonly isOther: boolean;
  /** Directly behind «без», «не», "no". */
  readonly isNegated: boolean;
  /** What the seller wants to do with the thing, not what it is. */
  readonly isIntent: boolean;
};
const ASIDE = new Set(['с', 'со', 'на', 'от', 'из', 'к', 'в', 'у', 'по', 'with', 'from', 'in', 'on', 'at']);
const OTHER = new Set(['для', 'под', 'for']);
const NOT = new Set(['без', 'не', 'нет', 'no', 'not', 'without']);
/** Sellers sell and let what the names of categories buy and rent: «Продам квартиру» belongs to «Купить квартиру». */
const INTENTS: ReadonlyMap<string, string> = new Map([
  ...['продам', 'продаю', 'продаем', 'продается', 'продаются', 'куплю'].map(
    (word) => [word, 'купить'] as const,
  ),
  ...['сдам', 'сдаю', 'сдаем', 'сдается', 'сдаются', 'сниму'].map((word) => [word, 'снять'] as const),
]);
const SEAM = /(?<=\d)(?=\p{L})|(?<=\p{L})(?=\d)/gu;

/** «128гб» and «128 гб» are the same two words. */
const apart = (text: string): string => text.replace(SEAM, ' ');

/** Some endings come off only when another one is off: «объективы», «объектив». */
const stemOf = (analyzer: Analyzer, term: string): string => {
  const [again, ...more] = term === '' ? [] : analyzer.terms(term);
  return again === undefined || again === '' || more.length > 0 ? term : again;
};

/** The words of a text that are searched, in order. */
export const tokensOf = (analyzer: Analyzer, text: string): readonly Token[] => {
  const spaced = apart(text);
  const words = analyzer.words(spaced);
  const terms = analyzer.terms(spaced).map((term) => stemOf(analyzer, term));
  const tokens: Token[] = [];
  let isAside = false;
  let isOther = false;
  let isNegated = false;
  for (const [at, word] of words.entries()) {
    isAside ||= tokens.length > 0 && (ASIDE.has(word) || OTHER.has(word));
    isOther ||= tokens.length > 0 && OTHER.has(word);
    const intent = INTENTS.get(word);
    const term = intent === undefined ? (terms[at] ?? '') : stemOf(analyzer, analyzer.terms(intent)[0] ?? '');
    if (NOT.has(word)) isNegated = true;
    else if (term !== '') {
      tokens.push({ term, word, isAside, isOther, isNegated, isIntent: intent !== undefined });
      isNegated = false;
    }
  }
  return tokens;
};
export const termsOf = (analyzer: Analyzer, text: string): readonly string[] =>
  tokensOf(analyzer, text).map(({ term }) => term);

/** Turns a text into search terms. Documents, queries and all engines use the same analyzer. */
export interface Analyzer {
  /** Names the rules. An index that another analyzer built is not searched with this one. */
  readonly id: string;
  /**
   * One term for each word of the text, in order; an empty string for a word that is not searched (a stop word), so
   * that places are kept. Equal words give equal terms, whatever their case, accents, ё and inflection.
   */
  terms(text: string): readonly string[];
  /** The words of a text, folded but not stemmed, one for each of `terms`. */
  words(text: string): readonly string[];
}

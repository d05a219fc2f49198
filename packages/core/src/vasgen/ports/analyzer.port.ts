/** Makes the terms of texts. Documents and queries, and every engine, go through the same one. */
export interface Analyzer {
  /** Names the rules: an index built by another analyzer is not searched with this one. */
  readonly id: string;
  /**
   * One term for each word of the text, in order; an empty string for a word that is not searched (a stop word), so
   * that places are kept. Equal words give equal terms, whatever their case, accents, ё and inflection.
   */
  terms(text: string): readonly string[];
  /** The words of a text, folded but not stemmed, one for each of `terms`. */
  words(text: string): readonly string[];
}

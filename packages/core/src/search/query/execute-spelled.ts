import { ok, type Result, type ResultAsync } from 'neverthrow';
import type { SearchAnswer } from '../../vasgen/index.ts';
import type { Correction } from '../spelling/spell-checker.ts';

export type SpelledText = {
  /** The text of the buyer; empty: no condition. */
  readonly typed: string;
  /** The corrected text that the page token holds, empty if there was none; undefined on the first page. */
  readonly fixed: string | undefined;
  /** False: the buyer wants the text as it is. */
  readonly isAsked: boolean;
  readonly correct: (text: string) => Correction | undefined;
};
export type SpelledAnswer = {
  readonly answer: SearchAnswer;
  /** The words that found it. */
  readonly words: string;
  readonly correction: Correction | undefined;
};

/**
 * Searches for the text as it was typed, and for the corrected one if the first finds nothing. The corrected text is used only
 * if it finds more. All pages of a query use the text of the first one.
 */
export const executeSpelled = async <E>(
  execute: (words: string) => ResultAsync<SearchAnswer, E>,
  { typed, fixed, isAsked, correct }: SpelledText,
): Promise<Result<SpelledAnswer, E>> => {
  if (fixed !== undefined && fixed !== '')
    return execute(fixed).map((answer) => ({
      answer,
      words: fixed,
      correction: { text: fixed, words: [] },
    }));
  const first = await execute(typed).map((answer): SpelledAnswer => ({
    answer,
    words: typed,
    correction: undefined,
  }));
  if (first.isErr() || first.value.answer.total > 0) return first;
  const correction = fixed === undefined && isAsked && typed !== '' ? correct(typed) : undefined;
  if (!correction) return first;
  const second = await execute(correction.text);
  // The typed text has its answer already: a failure of the second search is no failure of the first.
  if (second.isErr() || second.value.total <= first.value.answer.total) return first;
  return ok({ answer: second.value, words: correction.text, correction });
};

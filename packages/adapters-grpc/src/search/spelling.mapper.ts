import {
  SpellingReason as PbReason,
  type Spelling,
} from '@doska/adapters-proto/generated/doska/search/v1/search_service';
import type { SpellingReason, UsedCorrection } from '@doska/core/search';

const REASONS: Record<SpellingReason, PbReason> = {
  typo: PbReason.SPELLING_REASON_TYPO,
  layout: PbReason.SPELLING_REASON_LAYOUT,
  transliteration: PbReason.SPELLING_REASON_TRANSLITERATION,
};
export const spellingToPb = ({ original, corrected, words }: UsedCorrection): Spelling => ({
  original,
  corrected,
  words: words.map(({ from, to, reason }) => ({ from, to, reason: REASONS[reason] })),
});

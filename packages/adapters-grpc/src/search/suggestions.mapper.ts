import type {
  Name,
  SuggestResponse,
  Suggestion as PbSuggestion,
} from '@doska/adapters-proto/generated/doska/search/v1/search_service';
import type { Names } from '@doska/core/catalog';
import type { Suggestion, Suggestions } from '@doska/core/search';

const suggestionToPb = (one: Suggestion, nameToPb: (names: Names) => Name | undefined): PbSuggestion => {
  switch (one.kind) {
    case 'word':
      return { kind: { $case: 'word', value: { text: one.text, offers: BigInt(one.offers) } } };
    case 'category': {
      const value = { categoryId: one.id, name: nameToPb(one.names), offers: BigInt(one.offers) };
      return { kind: { $case: 'category', value } };
    }
    case 'title':
      return { kind: { $case: 'title', value: { text: one.text, offerId: one.offerId } } };
  }
};
export const suggestionsToPb = (
  { suggestions, notes }: Suggestions,
  nameToPb: (names: Names) => Name | undefined,
): SuggestResponse => ({
  suggestions: suggestions.map((one) => suggestionToPb(one, nameToPb)),
  notes: [...notes],
});

import { err, ok, type Result } from 'neverthrow';
import type { CatalogCache, CategoryId, Names } from '../../catalog/index.ts';
import {
  invalidInput,
  textViolations,
  type Clock,
  type InvalidInput,
  type Unavailable,
  type Violation,
} from '../../kernel/index.ts';
import type { Analyzer, SearchAnswer } from '../../vasgen/index.ts';
import type { ReadCards } from '../cards/read-cards.use-case.ts';
import { OFFERS_PLAN } from '../document/offer-fields.ts';
import { foundIn } from '../query/ask-index.use-case.ts';
import { categoriesBelow } from '../query/condition-of.ts';
import type { SearchIndex } from '../query/search-index.port.ts';
import { namedCategories } from './named-categories.ts';
import type { WordPrefixes } from './word-prefixes.ts';

/** What a buyer may mean by a text that is not finished. `offers`: how many there are of it. */
export type Suggestion =
  | { readonly kind: 'word'; readonly text: string; readonly offers: number }
  | {
      readonly kind: 'category';
      readonly id: CategoryId;
      readonly names: Names;
      readonly offers: number;
    }
  | { readonly kind: 'title'; readonly text: string; readonly offerId: string };
/** What could not be asked. */
export type SuggestNote = 'NoWords' | 'NoCatalog' | 'NoTitles';
export type Suggestions = {
  readonly suggestions: readonly Suggestion[];
  readonly notes: readonly SuggestNote[];
};
export type SuggestQuery = { readonly text: string; readonly category: string; readonly limit: number };
export type Suggest = (query: SuggestQuery) => Promise<Result<Suggestions, InvalidInput | Unavailable>>;
export type SuggestNeeds = {
  readonly index: Pick<SearchIndex, 'execute'>;
  readonly catalog: Pick<CatalogCache, 'copy'>;
  readonly readCards: ReadCards;
  readonly analyzer: Pick<Analyzer, 'terms' | 'words'>;
  /** Undefined: the words of the index are not read yet. */
  readonly prefixes: () => WordPrefixes | undefined;
  readonly clock: Clock;
  readonly settings: { readonly suggestMs: number };
};

export const SUGGEST_CHARS_MAX = 100;
export const SUGGESTIONS_DEFAULT = 5;
export const SUGGESTIONS_MAX = 20;
/** Shorter beginnings fit too many titles to mean one of them. */
const TITLE_CHARS_MIN = 2;
/** Forms of one word stand side by side, so more are looked at than are shown. */
const FORMS = 5;
const ID_CHARS_MAX = 100;

const checked = ({ text, category, limit }: SuggestQuery): Result<number, InvalidInput> => {
  const violations: Violation[] = [
    ...textViolations('text', text, { charsMax: SUGGEST_CHARS_MAX }),
    ...textViolations('category', category, { charsMax: ID_CHARS_MAX }),
  ];
  if (!Number.isInteger(limit) || limit < 0 || limit > SUGGESTIONS_MAX)
    violations.push({ path: 'limit', code: 'Range', message: `1 to ${SUGGESTIONS_MAX}` });
  return violations.length > 0
    ? err(invalidInput(...violations))
    : ok(limit === 0 ? SUGGESTIONS_DEFAULT : limit);
};

/** Words, categories and titles for a text as it is typed: `limit` of each at most. */
export const makeSuggest = (needs: SuggestNeeds): Suggest => {
  const { index, catalog, readCards, analyzer, prefixes, clock, settings } = needs;

  const wordsFor = (
    text: string,
    last: string,
    known: WordPrefixes,
    limit: number,
  ): readonly Suggestion[] => {
    const seen = new Set<string>();
    const suggestions: Suggestion[] = [];
    const before = text.slice(0, Math.max(0, text.toLowerCase().lastIndexOf(last)));
    for (const { word, documents } of known.completions(last, FORMS * limit)) {
      const term = analyzer.terms(word)[0] ?? '';
      if (term === '' || seen.has(term) || suggestions.length === limit) continue;
      seen.add(term);
      suggestions.push({ kind: 'word', text: `${before}${word}`, offers: documents });
    }
    return suggestions;
  };

  const found = (words: readonly string[], within: readonly CategoryId[] | undefined, limit: number) =>
    index.execute({
      plan: OFFERS_PLAN,
      nowMs: clock.nowMs(),
      text: { words: words.join(' '), prefixLast: true },
      page: { limit },
      ...(within && { filter: { kind: 'terms' as const, field: 'category', values: within } }),
      bounds: { timeMs: settings.suggestMs },
    });

  const titlesOf = async (answer: SearchAnswer): Promise<readonly Suggestion[] | undefined> => {
    const cards = await readCards(answer.epoch, answer.hits);
    if (cards.isErr()) return undefined;
    const titles = new Map<string, Suggestion>();
    for (const { pk } of answer.hits) {
      const text = cards.value.get(pk)?.title;
      const folded = text === undefined ? '' : analyzer.words(text).join(' ');
      if (text !== undefined && !titles.has(folded)) titles.set(folded, { kind: 'title', text, offerId: pk });
    }
    return [...titles.values()];
  };

  return async (query) => {
    const checkedLimit = checked(query);
    if (checkedLimit.isErr()) return err(checkedLimit.error);
    const limit = checkedLimit.value;
    const copy = catalog.copy();
    const copied = copy.isOk() ? copy.value.catalog : undefined;
    const asked = query.category === '' ? undefined : (query.category as CategoryId);
    if (asked !== undefined && copied && !copied.category(asked))
      return err(
        invalidInput({ path: 'category', code: 'Unknown', message: `there is no category ${asked}` }),
      );
    const notes: SuggestNote[] = [];
    const words = analyzer.words(query.text);
    const last = words.at(-1);
    if (last === undefined) return ok({ suggestions: [], notes });
    const known = prefixes();
    if (!known) notes.push('NoWords');
    if (!copied) notes.push('NoCatalog');
    const within = copied && asked !== undefined ? categoriesBelow(copied, asked) : undefined;
    const isLong = words.join('').length >= TITLE_CHARS_MIN;
    const answer = isLong ? await found(words, within, limit) : undefined;
    const titles = answer?.isOk() ? await titlesOf(answer.value) : undefined;
    if (isLong && !titles) notes.push('NoTitles');
    const counts = new Map(
      (answer?.isOk() ? foundIn(answer.value) : []).map(({ id, count }) => [id, count] as const),
    );
    const named = copied ? namedCategories(copied, analyzer, words) : [];
    const mayBe = within && new Set<string>(within);
    const categories = [...new Set([...named, ...counts.keys()])]
      .filter((id) => !mayBe || mayBe.has(id))
      .flatMap((id): (Suggestion & { readonly kind: 'category' })[] => {
        const names = copied?.category(id)?.names;
        return names ? [{ kind: 'category', id, names, offers: counts.get(id) ?? 0 }] : [];
      })
      .toSorted((a, b) => b.offers - a.offers)
      .slice(0, limit);
    return ok({
      suggestions: [
        ...(known ? wordsFor(query.text, last, known, limit) : []),
        ...categories,
        ...(titles ?? []),
      ],
      notes,
    });
  };
};

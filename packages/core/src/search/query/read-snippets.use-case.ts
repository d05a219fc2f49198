import { err, ok, ResultAsync, type Result } from 'neverthrow';
import {
  invalidInput,
  textViolations,
  unavailable,
  type InvalidInput,
  type Unavailable,
} from '../../kernel/index.ts';
import {
  glueSnippets,
  keysToGlue,
  type GluedAnswer,
  type GluedSnippet,
  type MultiGetQuery,
} from '../../snippets/index.ts';
import type { SnippetSource } from './snippet-source.port.ts';

/** Which snippets a request wants beside its answer. */
export type AskedSnippets = { readonly names: readonly string[]; readonly language: string };
export const NO_SNIPPETS: AskedSnippets = { names: [], language: '' };

export const SNIPPET_NAMES_MAX = 10;
const NAME_CHARS_MAX = 200;
const LANGUAGE_CHARS_MAX = 35;
/** The service answers at most so many pairs of section and key. */
const PAIRS_MAX = 500;
/** Longer keys are refused by the service; such a text has no snippet. */
const KEY_CHARS_MAX = 100;

export const checkSnippets = ({ names, language }: AskedSnippets): Result<void, InvalidInput> => {
  const violations = [
    ...(names.length > SNIPPET_NAMES_MAX
      ? [{ path: 'snippet_names', code: 'TooMany', message: `at most ${SNIPPET_NAMES_MAX} names` }]
      : []),
    ...names
      .slice(0, SNIPPET_NAMES_MAX)
      .flatMap((name, at) =>
        textViolations(`snippet_names[${at}]`, name, { charsMin: 1, charsMax: NAME_CHARS_MAX }),
      ),
    ...textViolations('snippet_language', language, { charsMax: LANGUAGE_CHARS_MAX }),
  ];
  return violations.length > 0 ? err(invalidInput(...violations)) : ok(undefined);
};

/** What a hit and an answer are known by in the snippet service. */
export type SnippetHit = { readonly offerId: string; readonly seller: string | undefined };
const keysOf = ({ offerId, seller }: SnippetHit): readonly string[] => [
  `offer:${offerId}`,
  ...(seller === undefined ? [] : [`seller:${seller}`]),
];
/** `words`: the folded words of the text. */
export const answerKeysOf = (category: string | undefined, words: readonly string[]): readonly string[] => {
  const text = words.join(' ');
  return [
    ...(category === undefined ? [] : [`category:${category}`]),
    ...(text === '' || text.length > KEY_CHARS_MAX ? [] : [`query:${text}`]),
  ];
};

export type ReadSnippets = (
  asked: AskedSnippets,
  hits: readonly SnippetHit[],
  answerKeys: readonly string[],
) => Promise<Result<GluedAnswer<SnippetHit>, Unavailable>>;

/** Snippets of hits and of the answer, in one call if their pairs fit into one. */
export const makeReadSnippets =
  (source: SnippetSource | undefined): ReadSnippets =>
  async ({ names, language }, hits, answerKeys) => {
    if (names.length === 0) return ok(glueSnippets(hits, [], keysOf));
    if (!source) return err(unavailable('snippets', new Error('no snippet service is configured'), false));
    const keys = keysToGlue(hits, keysOf, answerKeys);
    const size = Math.floor(PAIRS_MAX / names.length);
    const queries: MultiGetQuery[] = [];
    for (let from = 0; from < keys.length; from += size)
      queries.push({ names, keys: keys.slice(from, from + size), language });
    const found = await ResultAsync.combine(queries.map((query) => source.find(query)));
    return found.map((lists: readonly (readonly GluedSnippet[])[]) =>
      glueSnippets(hits, lists.flat(), keysOf, answerKeys),
    );
  };

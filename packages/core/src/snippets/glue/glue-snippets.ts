import type { Content } from '../store/stored-row.ts';

/** A snippet that was found for a key. */
export type GluedSnippet = { readonly name: string; readonly key: string; readonly content: Content };
/** A hit with its snippets by name. A hit without snippets has none. */
export type HitWithSnippets<Hit> = {
  readonly hit: Hit;
  readonly snippets: Readonly<Record<string, Content>>;
};
export type GluedAnswer<Hit> = {
  readonly hits: readonly HitWithSnippets<Hit>[];
  /** Snippets of the answer as a whole, in the order of its keys: entries of their own. */
  readonly entries: readonly GluedSnippet[];
};

/** The keys to ask for: those of the hits and those of the answer, each once. */
export const keysToGlue = <Hit>(
  hits: readonly Hit[],
  keysOf: (hit: Hit) => readonly string[],
  answerKeys: readonly string[] = [],
): readonly string[] => [...new Set([...hits.flatMap((hit) => keysOf(hit)), ...answerKeys])];

/**
 * Puts snippets beside hits and beside the answer as a whole. `keysOf` gives the keys of a hit, the most important first: of two
 * snippets with one name the one of the earlier key is taken. `answerKeys` come from the query or its category. Without found
 * snippets the hits stay as they are.
 */
export const glueSnippets = <Hit>(
  hits: readonly Hit[],
  found: readonly GluedSnippet[],
  keysOf: (hit: Hit) => readonly string[],
  answerKeys: readonly string[] = [],
): GluedAnswer<Hit> => {
  const byKey = new Map<string, GluedSnippet[]>();
  for (const snippet of found) {
    const same = byKey.get(snippet.key);
    if (same) same.push(snippet);
    else byKey.set(snippet.key, [snippet]);
  }
  const snippetsOf = (hit: Hit): Readonly<Record<string, Content>> => {
    const taken: Record<string, Content> = {};
    for (const key of keysOf(hit))
      for (const { name, content } of byKey.get(key) ?? []) taken[name] ??= content;
    return taken;
  };
  return {
    hits: hits.map((hit) => ({ hit, snippets: snippetsOf(hit) })),
    entries: [...new Set(answerKeys)].flatMap((key) => byKey.get(key) ?? []),
  };
};

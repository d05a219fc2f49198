import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import { invalidInput, type InvalidInput } from '../../kernel/index.ts';
import { keyViolation } from '../address/key-rules.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import type { Leaf } from '../config/snippet-config.ts';
import type { Content, RowKey, StoredRow } from '../store/stored-row.ts';
import type { Version } from '../version/version.ts';
import { rowOf } from './address.ts';
import { isReached } from './get-snippets.use-case.ts';
import type { ReadRows } from './read-queue.use-case.ts';
import type { MultiGetError, UnknownSection } from './snippet-errors.ts';

/** Pairs of a section and a key in one call. With a language each needs two rows, and a read has at most 1000. */
export const PAIRS_MAX = 500;
export type MultiGetQuery = {
  /** Groups stand for the sections that an operation on them runs on. */
  readonly names: readonly string[];
  readonly keys: readonly string[];
  readonly language: string;
  readonly minVersion?: Version;
};
export type KeyedSnippet = {
  readonly name: string;
  readonly key: string;
  /** Empty if the row without a language was found. */
  readonly language: string;
  readonly content: Content;
  readonly version: Version;
};
export type MultiGet = (query: MultiGetQuery) => ResultAsync<readonly KeyedSnippet[], MultiGetError>;

type Pair = { readonly leaf: Leaf; readonly key: string };

const pairsOf = (
  { config: { sections } }: LoadedConfig,
  { names, keys }: MultiGetQuery,
  keyBytesMax: number,
): Result<readonly Pair[], UnknownSection | InvalidInput> => {
  const leaves = new Map<string, Leaf>();
  for (const name of names) {
    const section = sections.get(name);
    if (!section) return err({ kind: 'UnknownSection', name });
    for (const leaf of section.targets) leaves.set(leaf.name, leaf);
  }
  const wanted = [...new Set(keys)];
  const wrong = wanted.map((key) => keyViolation(key, keyBytesMax, 'keys')).find((one) => one);
  if (wrong) return err(invalidInput(wrong));
  const count = leaves.size * wanted.length;
  if (count > PAIRS_MAX) {
    const message = `${count} pairs of section and key, at most ${PAIRS_MAX}`;
    return err(invalidInput({ path: 'keys', code: 'TooMany', message }));
  }
  return ok([...leaves.values()].flatMap((leaf) => wanted.map((key) => ({ leaf, key }))));
};

/** The snippets of keys in several sections, of one moment: the row of the language, else the row without one. */
export const makeMultiGet = (needs: {
  readonly current: () => LoadedConfig;
  readonly read: ReadRows;
  readonly keyBytesMax: number;
  readonly answerBytesMax: number;
}): MultiGet => {
  const { current, read, keyBytesMax, answerBytesMax } = needs;
  return (query) => {
    const { language, minVersion } = query;
    const pairs = pairsOf(current(), query, keyBytesMax);
    if (pairs.isErr()) return errAsync(pairs.error);
    const languages = language === '' ? [''] : [language, ''];
    const keys: readonly RowKey[] = pairs.value.flatMap(({ leaf, key }) =>
      languages.map((one) => rowOf(leaf, key, one)),
    );
    return read(keys).andThen((rows): Result<readonly KeyedSnippet[], MultiGetError> => {
      if (!isReached(rows, minVersion)) return err({ kind: 'VersionNotReached', minVersion: minVersion! });
      let bytes = 0;
      const found = pairs.value.flatMap(({ leaf, key }, i): readonly KeyedSnippet[] => {
        const choices = languages.map((one, n) => ({ language: one, row: rows[i * languages.length + n] }));
        const chosen = choices.find(({ row }) => row?.content);
        if (!chosen) return [];
        const { content, version } = chosen.row as StoredRow & { readonly content: Content };
        bytes += content.bytes.length;
        return [{ name: leaf.name, key, language: chosen.language, content, version }];
      });
      return bytes > answerBytesMax
        ? err({ kind: 'TooLarge', what: 'the answer', bytesMax: answerBytesMax })
        : ok(found);
    });
  };
};

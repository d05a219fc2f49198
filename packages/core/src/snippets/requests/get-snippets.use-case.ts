import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { LoadedConfig } from '../config/loaded-config.ts';
import type { Content, StoredRow } from '../store/stored-row.ts';
import { compareVersions, type Version } from '../version/version.ts';
import { addressOf, rowOf } from './address.ts';
import type { ReadRows } from './read-queue.use-case.ts';
import type { GetError } from './snippet-errors.ts';

export type GetQuery = {
  /** The config to work with. Callers that looked something up in a config pass it, so that the request sees only one. */
  readonly at?: LoadedConfig;
  readonly name: string;
  readonly key: string;
  readonly language: string;
  /** The answer must not be older than this. */
  readonly minVersion?: Version;
};
export type FoundSnippet = { readonly name: string; readonly content: Content; readonly version: Version };
export type GetSnippets = (query: GetQuery) => ResultAsync<readonly FoundSnippet[], GetError>;

/** Whether at least one of the rows has the version or a later one; tombstones count. */
export const isReached = (
  rows: readonly (StoredRow | undefined)[],
  minVersion: Version | undefined,
): boolean =>
  minVersion === undefined || rows.some((row) => row && compareVersions(row.version, minVersion) >= 0);

export const makeGetSnippets = (needs: {
  readonly current: () => LoadedConfig;
  readonly read: ReadRows;
  readonly keyBytesMax: number;
}): GetSnippets => {
  const get = async (query: GetQuery): Promise<Result<readonly FoundSnippet[], GetError>> => {
    const { name, key, language, minVersion } = query;
    const address = addressOf((query.at ?? needs.current()).config, name, key, needs.keyBytesMax);
    if (address.isErr()) return err(address.error);
    const { targets } = address.value.section;
    const rows = await needs.read(targets.map((leaf) => rowOf(leaf, key, language)));
    if (rows.isErr()) return err(rows.error);
    if (!isReached(rows.value, minVersion))
      return err({ kind: 'VersionNotReached', minVersion: minVersion! });
    const found = targets.flatMap((leaf, i): readonly FoundSnippet[] => {
      const row = rows.value[i];
      return row?.content ? [{ name: leaf.name, content: row.content, version: row.version }] : [];
    });
    return found.length > 0 ? ok(found) : err({ kind: 'SnippetNotFound', name, key });
  };
  return (query) => new ResultAsync(get(query));
};

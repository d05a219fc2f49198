import { errAsync, type ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import type { KeyPage, ListedRow, SnippetStore } from '../store/snippet-store.port.ts';
import { ROWS_MAX, type RowKey } from '../store/stored-row.ts';

export type PrefixPlace = Pick<RowKey, 'service' | 'kps'>;
/** A section of the configuration stores snippets under this prefix. */
export type PrefixInUse = { readonly kind: 'PrefixInUse'; readonly name: string };
export type PrefixUpkeep = {
  /** The rows of a prefix in the order of their keys, tombstones included. */
  readonly keys: (place: PrefixPlace, page: KeyPage) => ResultAsync<readonly ListedRow[], Unavailable>;
  /** Deletes at most `limit` rows. Returns how many; 0 means that the prefix is empty. */
  readonly purge: (place: PrefixPlace, limit: number) => ResultAsync<number, PrefixInUse | Unavailable>;
};

export const makePrefixUpkeep = (
  store: Pick<SnippetStore, 'list' | 'drop'>,
  current: () => LoadedConfig,
): PrefixUpkeep => ({
  keys: (place, page) => store.list(place, { ...page, limit: Math.min(page.limit, ROWS_MAX) }),
  purge: (place, limit) => {
    const targets = [...current().config.sections.values()].flatMap((section) => section.targets);
    const user = targets.find(({ service, kps }) => service === place.service && kps === place.kps);
    return user
      ? errAsync({ kind: 'PrefixInUse', name: user.name })
      : store.drop(place, Math.min(limit, ROWS_MAX));
  },
});

import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { FeedKey } from '../../gost/index.ts';
import { unavailable, type Unavailable } from '../../kernel/index.ts';
import type { FeedChange, StoredFeed } from '../domain/load.ts';
import type { FeedStore, OwnerGone } from '../ports/feed-store.port.ts';

/** Without a change nothing is committed. */
export type Decided<T> = { readonly value: T; readonly change?: FeedChange | undefined };
type Decide<T, E> = (
  stored: StoredFeed | undefined,
) => Result<Decided<T>, E> | ResultAsync<Decided<T>, E> | Promise<Result<Decided<T>, E>>;

/** Other processes keep changing the same feed: the caller tries again later. */
const ATTEMPTS_MAX = 30;

/** Loads the feed, decides, commits. Decides again if another commit was faster. */
export const changeFeed = <T, E>(
  store: FeedStore,
  key: FeedKey,
  decide: Decide<T, E>,
): ResultAsync<T, E | OwnerGone | Unavailable> => {
  const run = async (): Promise<Result<T, E | OwnerGone | Unavailable>> => {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const stored = await store.load(key);
      if (stored.isErr()) return err(stored.error);
      const decided = await decide(stored.value);
      if (decided.isErr()) return err(decided.error);
      const { value, change } = decided.value;
      if (!change) return ok(value);
      const done = await store.commit(key, stored.value?.revision ?? 0, change);
      if (done.isOk()) return ok(value);
      if (done.error.kind !== 'FeedChanged') return err(done.error);
    }
    return err(unavailable('feed: too many conflicts'));
  };
  return new ResultAsync(run());
};

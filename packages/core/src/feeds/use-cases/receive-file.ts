import { err, errAsync, ok, ResultAsync, type Result } from 'neverthrow';
import type { FeedKey } from '../../gost/index.ts';
import {
  invalidInputOf,
  type BlobSourceFailed,
  type BlobTooLarge,
  type Clock,
  type InvalidInput,
  type Unavailable,
} from '../../kernel/index.ts';
import { newLoad, type FeedNotFound, type LinkActive } from '../domain/decide-load.ts';
import {
  feedNamespaceViolations,
  noDefaults,
  parsedNamespace,
  urlViolations,
  type Feed,
} from '../domain/feed.ts';
import { newLink, type Load, type StoredFeed } from '../domain/load.ts';
import type { FeedsSettings } from '../domain/settings.ts';
import { STORE_ROWS_MAX, type FeedStore } from '../ports/feed-store.port.ts';
import type { Spool, Spooled } from '../ports/spool.port.ts';
import { changeFeed } from './change-feed.ts';
import type { KeepFile } from './keep-file.ts';
import { withoutOwner } from './manage-feeds.ts';

export type ReceiveFileNeeds = {
  readonly feeds: FeedStore;
  readonly spool: Spool;
  readonly keepFile: KeepFile;
  readonly clock: Clock;
  readonly settings: FeedsSettings;
};
export type EmptyFile = { readonly kind: 'EmptyFile' };
export type UploadError =
  InvalidInput | LinkActive | FeedNotFound | EmptyFile | BlobTooLarge | BlobSourceFailed | Unavailable;

export interface ReceiveFile {
  /** A file of a seller. The feed is created if there is none. The same request id again is the same load. */
  readonly upload: (
    key: FeedKey,
    chunks: AsyncIterable<Uint8Array>,
    options?: { readonly replace?: boolean; readonly requestId?: string | undefined },
  ) => ResultAsync<Load, UploadError>;
  /** A file of a crawler, in the namespace of its source. */
  readonly loadParsed: (
    seller: FeedKey['seller'],
    source: string,
    chunks: AsyncIterable<Uint8Array>,
    requestId?: string,
  ) => ResultAsync<Load, UploadError>;
  /**
   * A file of a crawler that a loader fetches once from this link. A newer file or link of the same source takes its place.
   * A link that can't be fetched stays with its last error until then.
   */
  readonly loadParsedLink: (
    seller: FeedKey['seller'],
    source: string,
    url: string,
  ) => ResultAsync<Feed, InvalidInput | Unavailable>;
}

const newFeed = (key: FeedKey, format: Feed['settings']['format'], nowMs: number): Feed => ({
  seller: key.seller,
  namespace: key.namespace,
  version: 1,
  status: 'active',
  lastTask: 0,
  settings: { url: undefined, intervalMs: 0, format, absent: 'remove', defaults: noDefaults },
  changedAtMs: nowMs,
});

export const makeReceiveFile = (needs: ReceiveFileNeeds): ReceiveFile => {
  const { feeds, spool, keepFile, clock, settings } = needs;

  /** The feed that takes the file: a new one, a removed one that becomes active, or the one that is there. */
  const receiving = (
    key: FeedKey,
    stored: StoredFeed | undefined,
    replace: boolean,
    format: Feed['settings']['format'],
  ): Result<Feed, LinkActive> => {
    const nowMs = clock.nowMs();
    if (!stored) return ok(newFeed(key, format, nowMs));
    const { feed } = stored;
    const uploads = { ...feed.settings, url: undefined };
    if (feed.status === 'removed')
      return ok({
        ...feed,
        status: 'active',
        version: feed.version + 1,
        settings: uploads,
        changedAtMs: nowMs,
      });
    if (feed.settings.url === undefined) return ok(feed);
    return replace
      ? ok({ ...feed, version: feed.version + 1, settings: uploads, changedAtMs: nowMs })
      : err({ kind: 'LinkActive' });
  };

  const take = async (
    key: FeedKey,
    spooled: Spooled,
    { replace, requestId, origin, format }: Taking,
  ): Promise<Result<Load, UploadError>> => {
    if (spooled.bytes === 0) return err({ kind: 'EmptyFile' });
    const before = await feeds.load(key);
    if (before.isErr()) return err(before.error);
    // Refused before the file is stored; the commit decides again.
    const may = receiving(key, before.value, replace, format);
    if (may.isErr()) return err(may.error);
    const file = await keepFile.keep(key, spooled);
    if (file.isErr()) return err(file.error);
    type Outcome = { readonly load: Load; readonly used: boolean };
    const made = await changeFeed<Outcome, LinkActive | Unavailable>(feeds, key, async (stored) => {
      const repeated = requestId === undefined ? ok(undefined) : await feeds.findRequest(key, requestId);
      if (repeated.isErr()) return err(repeated.error);
      if (repeated.value) return ok({ value: { load: repeated.value, used: false } });
      const feed = receiving(key, stored, replace, format);
      if (feed.isErr()) return err(feed.error);
      const history = await feeds.history(key, { limit: STORE_ROWS_MAX });
      if (history.isErr()) return err(history.error);
      const open = stored?.open ?? [];
      const time = { nowMs: clock.nowMs(), settings };
      const { load, change } = newLoad(
        { feed: feed.value, open },
        { file: file.value, origin, requestId },
        history.value,
        time,
      );
      const link = stored?.link ? ({ link: 'gone' } as const) : {};
      return ok({ value: { load, used: true }, change: { ...change, ...link, owner: file.value.owner } });
    });
    if (made.isErr()) return err(withoutOwner(made.error));
    if (!made.value.used) await keepFile.release(file.value.hash, file.value.owner);
    return ok(made.value.load);
  };
  type Taking = {
    readonly replace: boolean;
    readonly requestId: string | undefined;
    readonly origin: 'upload' | 'parsed';
    readonly format: Feed['settings']['format'];
  };
  const receive = async (
    key: FeedKey,
    chunks: AsyncIterable<Uint8Array>,
    taking: Taking,
  ): Promise<Result<Load, UploadError>> => {
    const { requestId } = taking;
    if (requestId !== undefined) {
      const known = await feeds.findRequest(key, requestId);
      if (known.isErr()) return err(known.error);
      if (known.value) return ok(known.value);
    }
    const spooled = await spool.spool(chunks, { bytesMax: settings.file.bytesMax });
    if (spooled.isErr()) return err(spooled.error);
    try {
      return await take(key, spooled.value, taking);
    } finally {
      await spooled.value.discard();
    }
  };
  return {
    upload: (key, chunks, { replace = false, requestId } = {}) => {
      const violations = feedNamespaceViolations(key.namespace);
      if (violations.length > 0) return new ResultAsync(Promise.resolve(err(invalidInputOf(violations))));
      return new ResultAsync(receive(key, chunks, { replace, requestId, origin: 'upload', format: 'auto' }));
    },
    loadParsed: (seller, source, chunks, requestId) =>
      parsedNamespace(source).asyncAndThen(
        (namespace) =>
          new ResultAsync(
            receive({ seller, namespace }, chunks, {
              replace: true,
              requestId,
              origin: 'parsed',
              format: 'doska-json',
            }),
          ),
      ),
    loadParsedLink: (seller, source, url) =>
      parsedNamespace(source).asyncAndThen((namespace): ResultAsync<Feed, InvalidInput | Unavailable> => {
        const violations = urlViolations(url, settings.limits.urlCharsMax);
        if (violations.length > 0) return errAsync(invalidInputOf(violations));
        const key = { seller, namespace };
        return changeFeed<Feed, never>(feeds, key, (stored) => {
          const nowMs = clock.nowMs();
          // A download of an older link or file ends without a load: the feed has another version.
          const feed: Feed = {
            ...(stored?.feed ?? newFeed(key, 'doska-json', nowMs)),
            status: 'active',
            version: (stored?.feed.version ?? 0) + 1,
            changedAtMs: nowMs,
          };
          const link = newLink({ url, intervalMs: 0 }, feed.version, nowMs);
          return ok({ value: feed, change: { feed, link } });
        }).mapErr(withoutOwner);
      }),
  };
};

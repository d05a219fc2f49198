import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { FeedKey } from '../../gost/index.ts';
import {
  delayMs,
  DownloadInterrupted,
  isTransientDownload,
  unavailable,
  type Clock,
  type Downloaded,
  type Downloader,
  type DownloadError,
  type Random,
  type Unavailable,
} from '../../kernel/index.ts';
import { isUnchanged, newLoad } from '../domain/decide-load.ts';
import { freed, holdsLock, takeLock, type Busy, type LockLost } from '../domain/decide-run.ts';
import { isParsedNamespace } from '../domain/feed.ts';
import {
  isFetchedOnce,
  NEVER_MS,
  type FeedChange,
  type FeedLink,
  type Load,
  type LoadFile,
  type StoredFeed,
} from '../domain/load.ts';
import type { FeedsSettings } from '../domain/settings.ts';
import { STORE_ROWS_MAX, type FeedStore } from '../ports/feed-store.port.ts';
import type { Spool } from '../ports/spool.port.ts';
import { changeFeed } from './change-feed.ts';
import type { KeepFile } from './keep-file.ts';
import { whileKeepingLock } from './keep-lock.ts';
import { withoutOwner } from './manage-feeds.ts';

export type FetchLinkNeeds = {
  readonly feeds: FeedStore;
  readonly downloader: Downloader;
  readonly spool: Spool;
  readonly keepFile: KeepFile;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: FeedsSettings;
  readonly catalogVersion: () => number;
};
export type Fetched = 'loaded' | 'unchanged' | 'failed' | 'out of date';
/** Fetches the link of a feed. `Busy`: another process fetches it, or it is not due. */
export type FetchLink = (
  key: FeedKey,
  holder: string,
  signal: AbortSignal,
) => ResultAsync<Fetched, Busy | LockLost | Unavailable>;

type Got =
  | { readonly kind: 'same' }
  | {
      readonly kind: 'file';
      readonly file: LoadFile;
      readonly etag: string | undefined;
      readonly lastModified: string | undefined;
    };
type Failure = {
  readonly message: string;
  readonly retryAfterMs: number | undefined;
  readonly isTransient: boolean;
};
const CONNECT_MS = 15_000;
const IDLE_MS = 60_000;

const failureOf = (error: DownloadError): Failure => ({
  message:
    error.kind === 'HttpStatus'
      ? `the server answered ${error.status}`
      : error.kind === 'ForbiddenAddress'
        ? `${error.host} is not a public address`
        : `the file could not be downloaded: ${error.kind}`,
  retryAfterMs: error.kind === 'HttpStatus' ? error.retryAfterMs : undefined,
  isTransient: isTransientDownload(error),
});

export const makeFetchLink = (needs: FetchLinkNeeds): FetchLink => {
  const { feeds, downloader, spool, keepFile, clock, random, settings, catalogVersion } = needs;

  const lock = (
    key: FeedKey,
    holder: string,
  ): ResultAsync<{ token: number; link: FeedLink; newest: Load | undefined }, Busy | Unavailable> =>
    changeFeed<{ token: number; link: FeedLink; newest: Load | undefined }, Busy>(feeds, key, (stored) => {
      const nowMs = clock.nowMs();
      const link = stored?.link;
      if (!stored || !link || link.nextAttemptAtMs > nowMs) return err({ kind: 'Busy' });
      return takeLock(stored.locks.feedloader, holder, nowMs).map((taken) => ({
        value: { token: taken.token, link, newest: stored.newest },
        change: { locks: { feedloader: taken } },
      }));
    }).mapErr(withoutOwner);

  const renew = (key: FeedKey, token: number): ResultAsync<void, LockLost | Unavailable> =>
    changeFeed<void, LockLost>(feeds, key, (stored) => {
      if (!stored) return err({ kind: 'LockLost' });
      return holdsLock(stored, 'feedloader', token).map((held) => ({
        value: undefined,
        change: { locks: { feedloader: { ...held, renewedAtMs: clock.nowMs() } } },
      }));
    }).mapErr(withoutOwner);

  const fetch = (
    link: FeedLink,
    known: boolean,
    signal: AbortSignal,
  ): ResultAsync<Downloaded, DownloadError> => {
    const { bytesMax, decodedBytesMax, downloadMs, redirectsMax } = settings.file;
    const { etag, lastModified } = link.validators ?? {};
    return downloader.fetch({
      url: link.url,
      signal,
      limits: {
        bytesMax,
        decodedBytesMax,
        totalMs: downloadMs,
        connectMs: CONNECT_MS,
        idleMs: IDLE_MS,
        redirectsMax,
      },
      ...(known
        ? {
            known: {
              ...(etag === undefined ? {} : { etag }),
              ...(lastModified === undefined ? {} : { lastModified }),
            },
          }
        : {}),
    });
  };
  const download = async (
    key: FeedKey,
    { link, newest }: { readonly link: FeedLink; readonly newest: Load | undefined },
    signal: AbortSignal,
  ): Promise<Result<Got, Failure>> => {
    const { hash } = link.validators ?? {};
    // Without the content, an answer that it did not change would be of no use.
    const isKnown =
      hash !== undefined && newest?.file?.hash === hash && (await keepFile.isStored(hash)).unwrapOr(false);
    const answer = await fetch(link, isKnown, signal);
    if (answer.isErr()) return err(failureOf(answer.error));
    if (answer.value.kind === 'unchanged') return ok({ kind: 'same' });
    const { body, etag, lastModified } = answer.value;
    const spooled = await spool.spool(body, { bytesMax: settings.file.bytesMax });
    if (spooled.isErr()) {
      const { error } = spooled;
      if (error.kind === 'BlobSourceFailed' && error.cause instanceof DownloadInterrupted)
        return err(failureOf(error.cause.error));
      return err({
        message: `the file could not be stored: ${error.kind}`,
        retryAfterMs: undefined,
        isTransient: true,
      });
    }
    try {
      if (spooled.value.bytes === 0)
        return err({ message: 'the file is empty', retryAfterMs: undefined, isTransient: true });
      const file = await keepFile.keep(key, spooled.value);
      return file
        .map((kept): Got => ({ kind: 'file', file: kept, etag, lastModified }))
        .mapErr(({ what }) => ({ message: what, retryAfterMs: undefined, isTransient: true }));
    } finally {
      await spooled.value.discard();
    }
  };

  const failed = (
    link: FeedLink,
    { message, retryAfterMs = 0, isTransient }: Failure,
    nowMs: number,
  ): FeedLink => {
    const failures = link.failures + 1;
    const pauseMs = delayMs({ ...settings.fetchRetry, factor: 2, jitter: 0.2 }, failures, random);
    const isGivenUp = isFetchedOnce(link) && (!isTransient || failures > settings.task.attemptsMax);
    return {
      ...link,
      failures,
      nextAttemptAtMs: isGivenUp
        ? NEVER_MS
        : nowMs + Math.max(pauseMs, Math.min(retryAfterMs, settings.fetchRetry.maxMs)),
      lastError: { message, atMs: nowMs },
    };
  };
  const succeeded = (link: FeedLink, got: Got, nowMs: number): FeedLink | 'gone' =>
    isFetchedOnce(link)
      ? 'gone'
      : {
          ...link,
          failures: 0,
          lastError: undefined,
          lastFetchedAtMs: nowMs,
          nextAttemptAtMs: nowMs + link.intervalMs,
          validators:
            got.kind === 'same'
              ? link.validators
              : { hash: got.file.hash, etag: got.etag, lastModified: got.lastModified },
        };

  type Outcome = { readonly fetched: Fetched; readonly used: boolean };
  /** The commit that creates the load checks the token and the version of the feed. */
  const settle = (
    stored: StoredFeed,
    { token, link }: { readonly token: number; readonly link: FeedLink },
    got: Result<Got, Failure>,
    history: readonly Load[],
  ): Result<{ value: Outcome; change: FeedChange }, LockLost> =>
    holdsLock(stored, 'feedloader', token).map((held) => {
      const nowMs = clock.nowMs();
      const locks = { feedloader: freed(held) };
      const current = stored.link;
      if (current?.feedVersion !== link.feedVersion || stored.feed.status !== 'active')
        return { value: { fetched: 'out of date', used: false }, change: { locks } };
      if (got.isErr())
        return {
          value: { fetched: 'failed', used: false },
          change: { locks, link: failed(current, got.error, nowMs) },
        };
      const next = succeeded(current, got.value, nowMs);
      const { newest } = stored;
      const times = { nowMs, catalogVersion: catalogVersion(), settings };
      const isNewest = newest?.file?.hash === link.validators?.hash;
      const hash =
        got.value.kind === 'file' ? got.value.file.hash : isNewest ? newest?.file?.hash : undefined;
      // A 304 belongs to content that is not the newest any more: fetch it again without conditions.
      if (hash === undefined)
        return {
          value: { fetched: 'out of date', used: false },
          change: { locks, link: { ...current, validators: undefined, nextAttemptAtMs: nowMs } },
        };
      if (newest && isUnchanged(stored, hash, times)) {
        const count = (newest.unchanged?.count ?? 0) + 1;
        const seen = { ...newest, unchanged: { count, lastAtMs: nowMs } };
        return { value: { fetched: 'unchanged', used: false }, change: { locks, link: next, loads: [seen] } };
      }
      const shared = got.value.kind === 'same' ? newest?.file : undefined;
      const file = got.value.kind === 'file' ? got.value.file : shared;
      if (!file)
        return {
          value: { fetched: 'out of date', used: false },
          change: { locks, link: { ...current, validators: undefined } },
        };
      const origin = isParsedNamespace(stored.feed.namespace) ? 'parsed' : 'link';
      const { change } = newLoad(stored, { file, origin }, history, { nowMs, settings });
      const owner = shared ? {} : { owner: file.owner };
      return { value: { fetched: 'loaded', used: true }, change: { ...change, ...owner, locks, link: next } };
    });

  const run = async (
    key: FeedKey,
    holder: string,
    signal: AbortSignal,
  ): Promise<Result<Fetched, Busy | LockLost | Unavailable>> => {
    const locked = await lock(key, holder);
    if (locked.isErr()) return err(locked.error);
    const keeping = { renew: () => renew(key, locked.value.token), everyMs: settings.renewMs, clock, signal };
    const got = await whileKeepingLock(keeping, (until) => download(key, locked.value, until)).catch(
      (cause: unknown): Result<Got, Failure> =>
        err({
          message: cause instanceof Error ? cause.message : 'failed',
          retryAfterMs: undefined,
          isTransient: true,
        }),
    );
    const made = await changeFeed<Outcome, LockLost | Unavailable>(feeds, key, async (stored) => {
      if (!stored) return err({ kind: 'LockLost' });
      const history = await feeds.history(key, { limit: STORE_ROWS_MAX });
      if (history.isErr()) return err(history.error);
      return settle(stored, locked.value, got, history.value);
    });
    // After an unknown outcome a load may have the file: if none has, the cleanup finds its owner and deletes it.
    const isUnused = made.match(
      ({ used }) => !used,
      ({ kind }) => kind !== 'Unavailable',
    );
    if (got.isOk() && got.value.kind === 'file' && isUnused)
      await keepFile.release(got.value.file.hash, got.value.file.owner);
    return made
      .map(({ fetched }) => fetched)
      .mapErr((error) => (error.kind === 'OwnerGone' ? unavailable('feed file: it took too long') : error));
  };
  return (key, holder, signal) => new ResultAsync(run(key, holder, signal));
};

import { err, ok, type Result } from 'neverthrow';
import {
  limitRepeats,
  retryUntilAborted,
  sleep,
  type Backoff,
  type Clock,
  type Logger,
  type Random,
  type Unavailable,
} from '../../kernel/index.ts';
import { catalogOf, type Catalog } from '../domain/catalog.ts';
import type { CatalogSource } from '../ports/catalog-source.port.ts';

/** The process has no copy of the catalogue yet. */
export type CatalogNotLoaded = { readonly kind: 'CatalogNotLoaded' };
/** One version, and how long ago it was last known to be the newest. Ask everything of one answer from one copy. */
export type CatalogCopy = { readonly catalog: Catalog; readonly ageMs: number };

export interface CatalogCache {
  /** The newest copy there is. It is served however old it is; `ageMs` says how old. */
  copy(): Result<CatalogCopy, CatalogNotLoaded>;
  /** A copy of at least this version: asks the source at once if the cache is behind. */
  atLeast(version: number): Promise<Result<CatalogCopy, CatalogNotLoaded>>;
  /** Keeps the copy fresh until `signal` aborts; `ready` is called when the first copy is there. */
  run(signal: AbortSignal, ready?: () => void): Promise<void>;
}

export type CatalogCacheOptions = {
  readonly source: CatalogSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly pollMs?: number;
  readonly retry?: Backoff;
};

export const makeCatalogCache = ({
  source,
  clock,
  random,
  logger,
  pollMs = 2_000,
  retry = { firstMs: 200, factor: 2, maxMs: 5_000, jitter: 0.3 },
}: CatalogCacheOptions): CatalogCache => {
  let held: { readonly catalog: Catalog; readonly asOfMs: number } | undefined;
  let refreshing: Promise<Result<void, Unavailable>> | undefined;
  const failures = limitRepeats(logger, clock);

  const refresh = async (): Promise<Result<void, Unavailable>> => {
    const askedAtMs = clock.nowMs();
    const newest = await source.newest();
    if (newest.isErr()) return err(newest.error);
    if (held && newest.value <= held.catalog.version) {
      held = { ...held, asOfMs: askedAtMs };
      return ok(undefined);
    }
    const fetched = await source.fetch();
    if (fetched.isErr()) return err(fetched.error);
    // A late answer must not bring back an older version.
    if (fetched.value && fetched.value.version >= (held?.catalog.version ?? 0)) {
      held = { catalog: catalogOf(fetched.value.version, fetched.value.content), asOfMs: askedAtMs };
      logger.info('catalogue copied', { version: fetched.value.version });
    }
    return ok(undefined);
  };
  /** Callers at the same time share one request. */
  const refreshed = (): Promise<Result<void, Unavailable>> =>
    (refreshing ??= refresh().finally(() => (refreshing = undefined)));
  const copy = (): Result<CatalogCopy, CatalogNotLoaded> =>
    held
      ? ok({ catalog: held.catalog, ageMs: Math.max(0, clock.nowMs() - held.asOfMs) })
      : err({ kind: 'CatalogNotLoaded' });
  return {
    copy,
    atLeast: async (version) => {
      if ((held?.catalog.version ?? 0) < version) await refreshed();
      return copy();
    },
    run: async (signal, ready) => {
      let told = false;
      const tellOnce = (): void => {
        if (held && !told) ready?.();
        told ||= held !== undefined;
      };
      while (!signal.aborted) {
        await retryUntilAborted(refreshed, {
          clock,
          random,
          policy: retry,
          signal,
          onFailure: (error) => {
            failures.warn('the catalogue does not answer; the copy is served', {
              version: held?.catalog.version,
              ageMs: copy()
                .map(({ ageMs }) => ageMs)
                .unwrapOr(0),
              error,
            });
            tellOnce(); // a caller of `atLeast` may have brought the first copy
          },
        });
        tellOnce();
        await sleep(clock, pollMs, signal);
      }
    },
  };
};

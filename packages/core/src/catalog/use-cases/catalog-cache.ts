import { err, ok, type Result } from 'neverthrow';
import { delayMs, sleep, type Backoff, type Clock, type Logger, type Random } from '../../kernel/index.ts';
import { catalogOf, type Catalog } from '../domain/catalog.ts';
import type { CatalogSource } from '../ports/catalog-source.port.ts';

/** Nobody has been able to reach the catalogue yet. */
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
  let refreshing: Promise<boolean> | undefined;

  const refresh = async (): Promise<boolean> => {
    const askedAtMs = clock.nowMs();
    const newest = await source.newest();
    if (newest.isErr()) return false;
    if (held && newest.value <= held.catalog.version) {
      held = { ...held, asOfMs: askedAtMs };
      return true;
    }
    const fetched = await source.fetch();
    if (fetched.isErr()) return false;
    // A late answer must not bring back an older version.
    if (fetched.value && fetched.value.version >= (held?.catalog.version ?? 0)) {
      held = { catalog: catalogOf(fetched.value.version, fetched.value.content), asOfMs: askedAtMs };
      logger.info('catalogue copied', { version: fetched.value.version });
    }
    return true;
  };
  /** Callers at the same time share one request. */
  const refreshed = (): Promise<boolean> =>
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
      for (let failures = 0; !signal.aborted;) {
        failures = (await refreshed()) ? 0 : failures + 1;
        if (failures === 1)
          logger.warn('the catalogue does not answer; the copy is served', {
            version: held?.catalog.version,
            ageMs: copy()
              .map(({ ageMs }) => ageMs)
              .unwrapOr(0),
          });
        if (held && !told) {
          told = true;
          ready?.();
        }
        await sleep(clock, failures === 0 ? pollMs : delayMs(retry, failures, random), signal);
      }
    },
  };
};

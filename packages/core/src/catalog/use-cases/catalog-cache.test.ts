import { errAsync, okAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { silentTelemetry, unavailable } from '../../kernel/index.ts';
import { manualClock, seededRandom } from '../../kernel/testing.ts';
import type { CatalogContent } from '../domain/catalog.ts';
import type { CategoryId } from '../domain/category.ts';
import { noOverride } from '../domain/standard-filters.ts';
import type { CatalogSource } from '../ports/catalog-source.port.ts';
import { named } from '../testing/catalog.arbitraries.ts';
import { makeCatalogCache } from './catalog-cache.ts';

const contentOf = (version: number): CatalogContent => ({
  attributes: [],
  categories: [
    {
      id: 'root' as CategoryId,
      parent: undefined,
      names: named(`root of ${version}`),
      attributes: [],
      filters: noOverride,
      retired: false,
    },
  ],
});
const world = () => {
  const time = manualClock();
  const service = { version: 1, up: true, fetches: 0, asked: 0 };
  const source: CatalogSource = {
    newest: () => {
      service.asked++;
      return service.up ? okAsync(service.version) : errAsync(unavailable('away'));
    },
    fetch: () => {
      service.fetches++;
      return service.up
        ? okAsync({ version: service.version, content: contentOf(service.version) })
        : errAsync(unavailable('away'));
    },
  };
  const cache = makeCatalogCache({
    source,
    clock: time.clock,
    random: seededRandom(1),
    logger: silentTelemetry.logger,
    pollMs: 1_000,
    retry: { firstMs: 500, factor: 2, maxMs: 4_000, jitter: 0 },
  });
  const stop = new AbortController();
  return {
    time,
    service,
    cache,
    stop,
    rootName: () =>
      cache
        .copy()
        .map(({ catalog }) => catalog.root.names.en)
        .unwrapOr('none'),
  };
};

describe('the cached copy', () => {
  test('[C5] before the first copy it says so, and ready is told when it is there', async () => {
    const { cache, service, stop, time } = world();
    service.up = false;
    expect(cache.copy()._unsafeUnwrapErr()).toEqual({ kind: 'CatalogNotLoaded' });
    let ready = false;
    const running = cache.run(stop.signal, () => (ready = true));
    await time.advance(10_000);
    expect(ready).toBe(false);
    service.up = true;
    await time.advance(4_000);
    expect(ready).toBe(true);
    stop.abort();
    await running;
  });
  test('[C5] the next poll picks up a new version; a caller that holds the old copy still sees it whole', async () => {
    const { cache, service, stop, time, rootName } = world();
    const running = cache.run(stop.signal);
    await time.advance(0);
    const before = cache.copy()._unsafeUnwrap().catalog;
    service.version = 2;
    await time.advance(1_000);
    expect(rootName()).toBe('root of 2');
    expect([before.version, before.root.names.en]).toEqual([1, 'root of 1']);
    stop.abort();
    await running;
  });
  test('[C5] the service away: the copy is served, and its age grows until the service is back', async () => {
    const { cache, service, stop, time, rootName } = world();
    const running = cache.run(stop.signal);
    await time.advance(0);
    service.up = false;
    await time.advance(60_000);
    expect(rootName()).toBe('root of 1');
    expect(cache.copy()._unsafeUnwrap().ageMs).toBe(60_000);
    service.up = true;
    await time.advance(5_000);
    expect(cache.copy()._unsafeUnwrap().ageMs).toBeLessThan(2_000);
    stop.abort();
    await running;
  });
  test('[C5] an unchanged version is not fetched again', async () => {
    const { cache, service, stop, time } = world();
    const running = cache.run(stop.signal);
    await time.advance(20_000);
    expect(service.fetches).toBe(1);
    expect(service.asked).toBeGreaterThan(10);
    stop.abort();
    await running;
  });
  test('[C5] a caller that needs a newer version gets it at once, and concurrent callers share one request', async () => {
    const { cache, service, rootName } = world();
    await cache.atLeast(1);
    service.version = 3;
    await Promise.all([cache.atLeast(3), cache.atLeast(3), cache.atLeast(2)]);
    expect(rootName()).toBe('root of 3');
    expect(service.fetches).toBe(2);
  });
  test('[C5] a source that has fallen back does not bring an older version back', async () => {
    const { cache, service, rootName } = world();
    service.version = 5;
    await cache.atLeast(5);
    service.version = 4;
    await cache.atLeast(6);
    expect(rootName()).toBe('root of 5');
  });
});

import { holdingPart, Tokens, type App } from '@doska/app-composition';
import { catalogCachePart, CatalogTokens, catalogWiring } from '@doska/app-wiring/catalog';
import { FeedsTokens, feedsWiring } from '@doska/app-wiring/feeds';
import { gostWiring } from '@doska/app-wiring/gost';
import { FEED_SHARDS } from '@doska/core/feeds';

const NAME = 'feed-loader';

/** Fetches the links of feeds. Run as many processes as you like: they share shards by leases. */
export const feedLoader: App = {
  name: NAME,
  summary: 'Fetches the links of feeds regularly and makes loads of them.',
  contexts: [catalogWiring, gostWiring, feedsWiring],
  parts: (container) => {
    const { workers } = container.get(FeedsTokens.feeds);
    const leases = container.get(Tokens.leases);
    const jobs = container.get(Tokens.jobs);
    return [
      catalogCachePart(NAME, container.get(CatalogTokens.cache)),
      holdingPart(NAME, 'feed-links', () =>
        leases.hold({ set: 'feed-links', shards: FEED_SHARDS, work: workers.loadShard }),
      ),
      holdingPart(NAME, workers.cleanUp.name, () => jobs.start(workers.cleanUp)),
    ];
  },
};

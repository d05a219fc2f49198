import { searchCtrService, searchUpkeepService } from '@doska/adapters-grpc';
import {
  holdingPart,
  subscriptionPart,
  Tokens,
  topicSpec,
  type App,
  type Part,
} from '@doska/app-composition';
import { catalogCachePart, CatalogTokens, catalogWiring } from '@doska/app-wiring/catalog';
import { gostWiring } from '@doska/app-wiring/gost';
import { SearchTokens, searchWiring } from '@doska/app-wiring/search';
import { vasgenWiring } from '@doska/app-wiring/vasgen';
import { OFFER_UPDATES } from '@doska/core/gost';
import { deadTopicSpec } from '@doska/core/kernel';
import { BULK_TOPIC, LIVE_TOPIC } from '@doska/core/vasgen';

const NAME = 'search-scheduler';

/** Turns offer updates into documents of the search index, partition by partition. */
export const searchScheduler: App = {
  name: NAME,
  summary: 'Turns offer updates into documents of the search index.',
  contexts: [catalogWiring, gostWiring, vasgenWiring, searchWiring],
  topics: (config) => {
    const updates = topicSpec(config, OFFER_UPDATES);
    return [updates, deadTopicSpec(updates), topicSpec(config, LIVE_TOPIC), topicSpec(config, BULK_TOPIC)];
  },
  services: (container) => {
    const scheduler = container.get(SearchTokens.scheduler);
    return [searchUpkeepService(scheduler), searchCtrService(scheduler)];
  },
  parts: (container) => {
    const cache = container.get(CatalogTokens.cache);
    const log = container.get(Tokens.log);
    const jobs = container.get(Tokens.jobs);
    const settings = container.get(SearchTokens.settings);
    const scheduler = container.get(SearchTokens.scheduler);
    return [
      catalogCachePart(NAME, cache),
      {
        app: NAME,
        name: 'search-fields',
        run: (signal, ready) => {
          ready();
          return scheduler.keepDeclared(signal);
        },
      },
      ...scheduler.ctrJobs.map((job): Part => holdingPart(NAME, job.name, () => jobs.start(job))),
      subscriptionPart(NAME, NAME, () =>
        log.subscribe({
          group: NAME,
          topic: OFFER_UPDATES,
          handler: scheduler.scheduleOffers,
          batchRecordsMax: settings.batch.documentsMax,
        }),
      ),
    ];
  },
};

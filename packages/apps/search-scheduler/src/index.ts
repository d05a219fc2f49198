import { searchCtrService, searchParkingService, searchUpkeepService } from '@doska/adapters-grpc';
import { deadLetterCodec } from '@doska/adapters-proto';
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
import { deadTopicSpec, withDeadLetters } from '@doska/core/kernel';
import { SEARCH_EVENTS } from '@doska/core/search';
import { BULK_TOPIC, LIVE_TOPIC, REJECTED_TOPIC } from '@doska/core/vasgen';

const NAME = 'search-scheduler';

/** Turns offer updates into documents of the search index, partition by partition. */
export const searchScheduler: App = {
  name: NAME,
  summary: 'Turns offer updates into documents of the search index.',
  contexts: [catalogWiring, gostWiring, vasgenWiring, searchWiring],
  topics: (config) => {
    const updates = topicSpec(config, OFFER_UPDATES);
    const rejected = topicSpec(config, REJECTED_TOPIC);
    const written = [LIVE_TOPIC, BULK_TOPIC].map((topic) => topicSpec(config, topic));
    const events = topicSpec(config, SEARCH_EVENTS);
    const read = [updates, rejected, events];
    return [...read, ...read.map(deadTopicSpec), ...written];
  },
  services: (container) => {
    const scheduler = container.get(SearchTokens.scheduler);
    return [searchUpkeepService(scheduler), searchCtrService(scheduler), searchParkingService(scheduler)];
  },
  parts: (container) => {
    const cache = container.get(CatalogTokens.cache);
    const log = container.get(Tokens.log);
    const jobs = container.get(Tokens.jobs);
    const clock = container.get(Tokens.clock);
    const { logger, metrics } = container.get(Tokens.telemetry);
    const { recordAttemptsMax: attemptsMax } = container.get(Tokens.config);
    const settings = container.get(SearchTokens.settings);
    const scheduler = container.get(SearchTokens.scheduler);
    const letters = { log, codec: deadLetterCodec, clock, logger, metrics, attemptsMax };
    const consumeRejected = withDeadLetters(letters, scheduler.consumeRejected);
    const consumeEvents = withDeadLetters(letters, scheduler.consumeEvents);
    return [
      catalogCachePart(NAME, cache),
      subscriptionPart(NAME, 'search-rejected', () =>
        log.subscribe({ group: 'search-rejected', topic: REJECTED_TOPIC, handler: consumeRejected }),
      ),
      subscriptionPart(NAME, SEARCH_EVENTS, () =>
        log.subscribe({ group: SEARCH_EVENTS, topic: SEARCH_EVENTS, handler: consumeEvents }),
      ),
      {
        app: NAME,
        name: 'search-fields',
        run: (signal, ready) => {
          ready();
          return scheduler.keepDeclared(signal);
        },
      },
      ...[
        ...scheduler.ctrJobs,
        scheduler.parkingJob,
        ...(scheduler.auditJob ? [scheduler.auditJob] : []),
      ].map((job): Part => holdingPart(NAME, job.name, () => jobs.start(job))),
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

import { deadLetterCodec } from '@doska/adapters-proto';
import { holdingPart, subscriptionPart, Tokens, topicSpec, type App } from '@doska/app-composition';
import { catalogCachePart, CatalogTokens, catalogWiring } from '@doska/app-wiring/catalog';
import { FeedsTokens, feedsWiring } from '@doska/app-wiring/feeds';
import { gostWiring } from '@doska/app-wiring/gost';
import { FEED_SHARDS } from '@doska/core/feeds';
import { FEED_OFFERS, FEED_PHOTO_ERRORS, FEED_RESULTS } from '@doska/core/gost';
import { deadTopicSpec, withDeadLetters } from '@doska/core/kernel';

const NAME = 'feed-processor';

/** Runs loads and saves answers. Run as many processes as you like: they share shards and partitions. */
export const feedProcessor: App = {
  name: NAME,
  summary: 'Reads feed files, sends their offers to the offer store and saves its answers.',
  contexts: [catalogWiring, gostWiring, feedsWiring],
  topics: (config) => {
    const read = [FEED_RESULTS, FEED_PHOTO_ERRORS].map((topic) => topicSpec(config, topic));
    return [topicSpec(config, FEED_OFFERS), ...read, ...read.map(deadTopicSpec)];
  },
  parts: (container) => {
    const { workers } = container.get(FeedsTokens.feeds);
    const leases = container.get(Tokens.leases);
    const log = container.get(Tokens.log);
    const clock = container.get(Tokens.clock);
    const { logger, metrics } = container.get(Tokens.telemetry);
    const { recordAttemptsMax: attemptsMax } = container.get(Tokens.config);
    const letters = { log, codec: deadLetterCodec, clock, logger, metrics, attemptsMax };
    const photoErrors = withDeadLetters(letters, workers.consumePhotoErrors);
    return [
      catalogCachePart(NAME, container.get(CatalogTokens.cache)),
      holdingPart(NAME, 'feed-tasks', () =>
        leases.hold({ set: 'feed-tasks', shards: FEED_SHARDS, work: workers.processShard }),
      ),
      subscriptionPart(NAME, 'feed-answers', () =>
        log.subscribe({ group: 'feed-answers', topic: FEED_RESULTS, handler: workers.consumeAnswers }),
      ),
      subscriptionPart(NAME, 'feed-photo-errors', () =>
        log.subscribe({ group: 'feed-photo-errors', topic: FEED_PHOTO_ERRORS, handler: photoErrors }),
      ),
    ];
  },
};

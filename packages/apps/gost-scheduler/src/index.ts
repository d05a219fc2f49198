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
import { GostTokens, gostWiring } from '@doska/app-wiring/gost';
import {
  FEED_OFFERS,
  FEED_PHOTO_ERRORS,
  FEED_RESULTS,
  MODERATION_OPINIONS,
  OFFER_UPDATES,
} from '@doska/core/gost';
import {
  deadTopicSpec,
  withDeadLetters,
  type JobSpec,
  type RecordHandler,
  type ShardWork,
} from '@doska/core/kernel';
import { PHOTO_REQUESTS, PHOTO_RESULTS } from '@doska/core/photos';

const NAME = 'gost-scheduler';

/** The background work of the offer store. Run as many processes as you like: they share shards and jobs by leases. */
export const gostScheduler: App = {
  name: NAME,
  summary:
    'Background work of the offer store: export, feeds, moderation, photos, expiry, archive, audit, purge.',
  contexts: [catalogWiring, gostWiring],
  topics: (config) => {
    const read = [FEED_OFFERS, MODERATION_OPINIONS, PHOTO_RESULTS].map((topic) => topicSpec(config, topic));
    const written = [OFFER_UPDATES, FEED_RESULTS, FEED_PHOTO_ERRORS, PHOTO_REQUESTS];
    return [...read, ...read.map(deadTopicSpec), ...written.map((topic) => topicSpec(config, topic))];
  },
  parts: (container) => {
    const { workers } = container.get(GostTokens.gost);
    const { shards } = container.get(GostTokens.settings);
    const leases = container.get(Tokens.leases);
    const jobs = container.get(Tokens.jobs);
    const log = container.get(Tokens.log);
    const clock = container.get(Tokens.clock);
    const { logger, metrics } = container.get(Tokens.telemetry);
    const { recordAttemptsMax: attemptsMax } = container.get(Tokens.config);
    const onShards = (name: string, work: ShardWork): Part =>
      holdingPart(NAME, name, () => leases.hold({ set: name, shards, work }));
    const onTopic = (group: string, topic: string, handle: RecordHandler): Part => {
      const letters = { log, codec: deadLetterCodec, clock, logger, metrics, attemptsMax };
      const handler = withDeadLetters(letters, handle);
      return subscriptionPart(NAME, group, () => log.subscribe({ group, topic, handler }));
    };
    const periodically = (job: JobSpec): Part => holdingPart(NAME, job.name, () => jobs.start(job));
    return [
      catalogCachePart(NAME, container.get(CatalogTokens.cache)),
      onShards('gost-export', workers.exportShard),
      onShards('gost-expiry', workers.expireShard),
      ...(workers.archiveShard ? [onShards('gost-archive', workers.archiveShard)] : []),
      onTopic('gost-feeds', FEED_OFFERS, workers.consumeFeedMessages),
      onTopic('gost-moderation', MODERATION_OPINIONS, workers.consumeOpinions),
      onTopic('gost-photos', PHOTO_RESULTS, workers.consumePhotoResults),
      periodically(workers.auditCounts),
      periodically(workers.purgeDrafts),
      periodically(workers.sweepArchive),
    ];
  },
};

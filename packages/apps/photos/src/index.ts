import { holdingPart, subscriptionPart, Tokens, topicSpec, type App } from '@doska/app-composition';
import { PhotosTokens, photosWiring } from '@doska/app-wiring/photos';
import { deadTopicSpec, type Access } from '@doska/core/kernel';
import { PHOTO_REQUESTS, PHOTO_RESULTS } from '@doska/core/photos';
import { photoRoute } from './photo.route.ts';

const NAME = 'photos';
/** A small batch answers early; this size still keeps all parallel downloads busy. */
const BATCH_RECORDS_MAX = 32;

const viewers = (ratePerMinute: number): Access =>
  ratePerMinute > 0 ? { public: { ratePerMinute } } : { roles: ['service', 'operator'] };

/** Downloads the photos of offers, scales them, stores them and serves them. */
export const photos: App = {
  name: NAME,
  summary:
    'Downloads the photos of offers, scales them, reports the results to a topic and serves the photos.',
  contexts: [photosWiring],
  topics: (config) => {
    const requests = topicSpec(config, PHOTO_REQUESTS);
    return [requests, deadTopicSpec(requests), topicSpec(config, PHOTO_RESULTS)];
  },
  parts: (container) => {
    const { workers } = container.get(PhotosTokens.photos);
    const log = container.get(Tokens.log);
    const jobs = container.get(Tokens.jobs);
    const requests = {
      group: NAME,
      topic: PHOTO_REQUESTS,
      handler: workers.answerRequests,
      batchRecordsMax: BATCH_RECORDS_MAX,
    };
    return [
      subscriptionPart(NAME, 'photo-requests', () => log.subscribe(requests)),
      ...[workers.sweepMemory, workers.forgetPhotos].map((job) =>
        holdingPart(NAME, job.name, () => jobs.start(job)),
      ),
    ];
  },
  http: (container) => {
    const { ratePerMinute, graceMs } = container.get(PhotosTokens.config);
    const { findRendition } = container.get(PhotosTokens.photos).useCases;
    return [photoRoute(findRendition, { access: viewers(ratePerMinute), graceMs })];
  },
};

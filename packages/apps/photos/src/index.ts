import { sharpImages } from '@doska/adapters-images';
import { photoCodecs } from '@doska/adapters-proto';
import { holdingPart, subscriptionPart, Tokens, topicSpec, type App } from '@doska/app-composition';
import { deadTopicSpec, type Access, type JobSpec } from '@doska/core/kernel';
import {
  makeImageStore,
  PHOTO_REQUESTS,
  PHOTO_RESULTS,
  type ImageStore,
  type PhotoMemory,
} from '@doska/core/photos';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { err, ok } from 'neverthrow';
import { photoService } from './photo-service.ts';
import { photoRoute } from './photo.route.ts';

const NAME = 'photos';
const HOUR_MS = 3_600_000;
/** Small, so that an answer does not wait for many others; still enough to keep every slot busy. */
const BATCH_RECORDS_MAX = 32;

/** One for the process: what the worker has just stored, the route need not read again. */
const images: ServiceIdentifier<ImageStore> = Symbol.for('doska.photos.images');
const imagesModule = new ContainerModule(({ bind }) => {
  bind(images)
    .toResolvedValue((blobs) => makeImageStore({ blobs, codec: photoCodecs.manifest }), [Tokens.blobs])
    .inSingletonScope();
});

const viewers = (ratePerMinute: number): Access =>
  ratePerMinute > 0 ? { public: { ratePerMinute } } : { roles: ['service', 'operator'] };

const sweep = (memory: PhotoMemory): JobSpec => ({
  name: 'photo-memory-sweep',
  everyMs: HOUR_MS,
  run: async ({ signal }) => {
    const swept = await memory.sweep(signal);
    return swept.isOk()
      ? ok(`${swept.value} forgotten`)
      : err({ kind: 'JobFailed', reason: swept.error.what });
  },
});

/** The pictures that offers name: fetched, made small, stored and served. */
export const photos: App = {
  name: NAME,
  summary: 'Fetches the pictures that offers name, makes them small, answers by topic and serves them.',
  modules: () => [imagesModule],
  topics: (config) => {
    const requests = topicSpec(config, PHOTO_REQUESTS);
    return [requests, deadTopicSpec(requests), topicSpec(config, PHOTO_RESULTS)];
  },
  parts: (container) => {
    const log = container.get(Tokens.log);
    const { handler, memory } = photoService({
      ...{ log, images: container.get(images), processor: sharpImages() },
      config: container.get(Tokens.config),
      downloader: container.get(Tokens.downloader),
      storage: container.get(Tokens.storage),
      clock: container.get(Tokens.clock),
      random: container.get(Tokens.random),
      telemetry: container.get(Tokens.telemetry),
    });
    const job = sweep(memory);
    return [
      subscriptionPart(NAME, 'photo-requests', () =>
        log.subscribe({ group: NAME, topic: PHOTO_REQUESTS, handler, batchRecordsMax: BATCH_RECORDS_MAX }),
      ),
      holdingPart(NAME, job.name, () => container.get(Tokens.jobs).start(job)),
    ];
  },
  http: (container) => [
    photoRoute(container.get(images), viewers(container.get(Tokens.config).photoRatePerMinute)),
  ],
};

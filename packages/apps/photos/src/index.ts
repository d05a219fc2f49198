import { blobDigest } from '@doska/adapters-files';
import { sharpImages } from '@doska/adapters-images';
import { photoCodecs } from '@doska/adapters-proto';
import { holdingPart, subscriptionPart, Tokens, topicSpec, type App } from '@doska/app-composition';
import { deadTopicSpec, type Access, type JobSpec } from '@doska/core/kernel';
import {
  makeImageStore,
  PHOTO_REQUESTS,
  PHOTO_RESULTS,
  type ForgetPhotos,
  type ImageStore,
  type PhotoMemory,
} from '@doska/core/photos';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { err, ok } from 'neverthrow';
import { keptRenditions, photoService } from './photo-service.ts';
import { photoRoute } from './photo.route.ts';

const NAME = 'photos';
const HOUR_MS = 3_600_000;
/** Small, so that an answer does not wait for many others; still enough to keep every slot busy. */
const BATCH_RECORDS_MAX = 32;

/** One for the process: what the worker has just stored, the route need not read again. */
const images: ServiceIdentifier<ImageStore> = Symbol.for('doska.photos.images');
const imagesModule = new ContainerModule(({ bind }) => {
  bind(images)
    .toResolvedValue(
      (blobs, clock, storage) =>
        makeImageStore({
          ...{ blobs, clock, digest: blobDigest, codec: photoCodecs.manifest },
          renditions: keptRenditions({ storage, clock }),
        }),
      [Tokens.blobs, Tokens.clock, Tokens.storage],
    )
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

const SECOND_MS = 1_000;
const forgetting = (forget: ForgetPhotos, graceMs: number): JobSpec => ({
  name: 'photo-forgetting',
  // As often as the queue has places within one grace time.
  everyMs: Math.min(HOUR_MS, Math.max(SECOND_MS, Math.floor(graceMs / 24))),
  run: async ({ signal }) => {
    const looked = await forget(signal);
    return looked.isOk()
      ? ok(`${looked.value} looked at`)
      : err({ kind: 'JobFailed', reason: looked.error.what });
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
    const config = container.get(Tokens.config);
    const { handler, memory, forget } = photoService({
      ...{ log, images: container.get(images), processor: sharpImages() },
      config,
      downloader: container.get(Tokens.downloader),
      storage: container.get(Tokens.storage),
      clock: container.get(Tokens.clock),
      random: container.get(Tokens.random),
      telemetry: container.get(Tokens.telemetry),
    });
    const jobs = [sweep(memory), forgetting(forget, config.photoGraceMs)];
    return [
      subscriptionPart(NAME, 'photo-requests', () =>
        log.subscribe({ group: NAME, topic: PHOTO_REQUESTS, handler, batchRecordsMax: BATCH_RECORDS_MAX }),
      ),
      ...jobs.map((job) => holdingPart(NAME, job.name, () => container.get(Tokens.jobs).start(job))),
    ];
  },
  http: (container) => {
    const { photoRatePerMinute, photoGraceMs } = container.get(Tokens.config);
    return [
      photoRoute(container.get(images), { access: viewers(photoRatePerMinute), graceMs: photoGraceMs }),
    ];
  },
};

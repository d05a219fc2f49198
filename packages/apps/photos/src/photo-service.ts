import { photoCodecs, deadLetterCodec } from '@doska/adapters-proto';
import type { Config } from '@doska/app-composition';
import type {
  BatchHandler,
  Clock,
  Downloader,
  GenericStorage,
  LogPublisher,
  Random,
  Telemetry,
} from '@doska/core/kernel';
import {
  answerPhotoRequests,
  defaultPhotoSettings,
  makeForgetPhotos,
  makeHandlePhotoRequest,
  makeKeeping,
  makePhotoMemory,
  makePhotoMetrics,
  makePhotoUses,
  makeUnusedQueue,
  type ForgetPhotos,
  type ImageProcessor,
  type ImageStore,
  type Keeping,
  type PhotoMemory,
  type PhotoSettings,
} from '@doska/core/photos';

type PhotoConfig = Pick<
  Config,
  | 'photoBytesMax'
  | 'photoPixelsMax'
  | 'photoMsMax'
  | 'photoAttempts'
  | 'photoParallel'
  | 'photoRememberMs'
  | 'photoGraceMs'
>;

const HOUR_MS = 3_600_000;

/** The settings of an installation over the defaults of the domain. */
export const photoSettings = (config: PhotoConfig): PhotoSettings => {
  const { download, render, retry } = defaultPhotoSettings;
  return {
    download: {
      ...download,
      bytesMax: config.photoBytesMax,
      decodedBytesMax: config.photoBytesMax,
      totalMs: config.photoMsMax,
    },
    render: { ...render, pixelsMax: config.photoPixelsMax },
    retry: { ...retry, attemptsMax: config.photoAttempts },
    parallelMax: config.photoParallel,
  };
};

export type PhotoServiceNeeds = {
  readonly config: PhotoConfig;
  readonly downloader: Downloader;
  readonly processor: ImageProcessor;
  readonly images: ImageStore;
  readonly storage: GenericStorage;
  readonly log: LogPublisher;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
};

export type PhotoService = {
  readonly handler: BatchHandler;
  readonly memory: PhotoMemory;
  readonly forget: ForgetPhotos;
};

/** All of its state is in the storage: whoever makes one, it is the same. */
export const keptRenditions = (needs: Pick<PhotoServiceNeeds, 'storage' | 'clock'>): Keeping =>
  makeKeeping({ ...needs, space: 'photo-blobs', codec: photoCodecs.kept });

/** The use cases of the context over this installation's adapters. */
export const photoService = (needs: PhotoServiceNeeds): PhotoService => {
  const { config, storage, log, clock, telemetry } = needs;
  const memory = makePhotoMemory({
    storage,
    codec: photoCodecs.remembered,
    clock,
    settings: { readyMs: config.photoRememberMs, failedMs: Math.min(HOUR_MS, config.photoRememberMs) },
  });
  const images = makeKeeping({ storage, clock, space: 'photo-images', codec: photoCodecs.kept });
  const renditions = keptRenditions({ storage, clock });
  const unused = makeUnusedQueue({ storage, clock, graceMs: config.photoGraceMs });
  const uses = makePhotoUses({ storage, codec: photoCodecs.uses, images, unused, memory });
  const metrics = makePhotoMetrics(telemetry.metrics);
  const handle = makeHandlePhotoRequest({
    ...{ ...needs, memory, uses, metrics },
    settings: photoSettings(config),
  });
  const forget = makeForgetPhotos({ store: needs.images, images, renditions, uses, unused, metrics });
  const { logger } = telemetry;
  const handler = answerPhotoRequests({
    ...{ handle, log, clock, logger },
    codecs: photoCodecs,
    deadLetters: deadLetterCodec,
  });
  return { handler, memory, forget };
};

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
  makeHandlePhotoRequest,
  makePhotoMemory,
  makePhotoMetrics,
  type ImageProcessor,
  type ImageStore,
  type PhotoMemory,
  type PhotoSettings,
} from '@doska/core/photos';

type PhotoConfig = Pick<
  Config,
  'photoBytesMax' | 'photoPixelsMax' | 'photoMsMax' | 'photoAttempts' | 'photoParallel' | 'photoRememberMs'
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

export type PhotoService = { readonly handler: BatchHandler; readonly memory: PhotoMemory };

/** The use cases of the context over this installation's adapters. */
export const photoService = (needs: PhotoServiceNeeds): PhotoService => {
  const { config, storage, log, clock, telemetry } = needs;
  const memory = makePhotoMemory({
    storage,
    codec: photoCodecs.remembered,
    clock,
    settings: { readyMs: config.photoRememberMs, failedMs: Math.min(HOUR_MS, config.photoRememberMs) },
  });
  const handle = makeHandlePhotoRequest({
    ...needs,
    memory,
    metrics: makePhotoMetrics(telemetry.metrics),
    settings: photoSettings(config),
  });
  const { logger } = telemetry;
  const handler = answerPhotoRequests({
    ...{ handle, log, clock, logger },
    codecs: photoCodecs,
    deadLetters: deadLetterCodec,
  });
  return { handler, memory };
};

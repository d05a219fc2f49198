import {
  DEFAULT_ATTEMPTS_MAX,
  type BatchHandler,
  type BlobDigest,
  type BlobStore,
  type Clock,
  type Codec,
  type DeadLetter,
  type Downloader,
  type GenericStorage,
  type JobSpec,
  type LogPublisher,
  type Random,
  type Telemetry,
  makeKeeping,
  type Keeping,
  SETTLE_MS,
} from '../kernel/index.ts';
import type { MemorySettings } from './domain/remembered.ts';
import type { ImageProcessor } from './ports/image-processor.port.ts';
import type { PhotoCodecs } from './ports/photo-codecs.port.ts';
import { answerPhotoRequests } from './use-cases/answer-photo-requests.ts';
import { makeForgetPhotos } from './use-cases/forget-photos.ts';
import {
  defaultPhotoSettings,
  makeHandlePhotoRequest,
  type PhotoSettings,
} from './use-cases/handle-photo-request.ts';
import { makeImageStore, type ImageStore } from './use-cases/image-store.ts';
import { forgetPhotosJob, sweepMemoryJob } from './use-cases/photo-jobs.ts';
import { makePhotoMemory } from './use-cases/photo-memory.ts';
import { makePhotoMetrics } from './use-cases/photo-metrics.ts';
import { makePhotoUses, type PhotoUses } from './use-cases/photo-uses.ts';
import { makeUnusedQueue, type UnusedQueue } from './use-cases/unused.ts';

/** What the photo service needs from outside. */
export type PhotoPorts = {
  readonly storage: GenericStorage;
  readonly blobs: BlobStore;
  readonly digest: BlobDigest;
  readonly downloader: Downloader;
  readonly processor: ImageProcessor;
  readonly log: LogPublisher;
  readonly codecs: PhotoCodecs;
  readonly deadLetters: Codec<DeadLetter>;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
};
export type PhotosSettings = PhotoSettings & {
  /** How long the outcome of a URL is remembered. */
  readonly remember: MemorySettings;
  /** How long a photo is kept after the last offer stopped using it. */
  readonly graceMs: number;
  /** Attempts with lasting errors after which a request becomes a dead letter. */
  readonly requestAttemptsMax: number;
  /** How long a deletion waits for processes that still write. */
  readonly settleMs: number;
};
const DAY_MS = 86_400_000;
export const defaultPhotosSettings: PhotosSettings = {
  ...defaultPhotoSettings,
  remember: { readyMs: 7 * DAY_MS, failedMs: 3_600_000 },
  graceMs: 7 * DAY_MS,
  requestAttemptsMax: DEFAULT_ATTEMPTS_MAX,
  settleMs: SETTLE_MS,
};

/** The photo service of one process. */
export type Photos = {
  readonly useCases: {
    /** Finds a stored rendition by image and size. */
    readonly findRendition: ImageStore['find'];
  };
  readonly workers: {
    /** Handles batches of `photo-requests` and publishes `photo-results`. */
    readonly answerRequests: BatchHandler;
    readonly sweepMemory: JobSpec;
    readonly forgetPhotos: JobSpec;
  };
};
/** Replaces parts by others. Tests plant bugs with it. */
export type PhotoParts = {
  readonly keepingOf?: (right: Keeping) => Keeping;
  readonly usesOf?: (right: PhotoUses) => PhotoUses;
  readonly unusedOf?: (right: UnusedQueue) => UnusedQueue;
};
const same = <T>(right: T): T => right;

/** Everything behind the door, for `openPhotos` and for tests that take single steps. */
export const composePhotos = (
  { storage, blobs, digest, downloader, processor, codecs, clock, random, telemetry }: PhotoPorts,
  settings: PhotosSettings,
  { keepingOf = same, usesOf = same, unusedOf = same }: PhotoParts = {},
) => {
  const { graceMs, settleMs } = settings;
  const keeping = { storage, clock, codec: codecs.kept, settleMs };
  const images = keepingOf(makeKeeping({ ...keeping, space: 'photo-images' }));
  const renditions = keepingOf(makeKeeping({ ...keeping, space: 'photo-blobs' }));
  const store = makeImageStore({ blobs, clock, digest, codec: codecs.manifest, renditions });
  const memory = makePhotoMemory({ storage, clock, codec: codecs.remembered, settings: settings.remember });
  const unused = unusedOf(makeUnusedQueue({ storage, clock, graceMs }));
  const uses = usesOf(makePhotoUses({ storage, codec: codecs.uses, images, unused, memory }));
  const metrics = makePhotoMetrics(telemetry.metrics);
  const handling = { downloader, processor, images: store, memory, uses, clock, random, metrics, settings };
  return {
    images,
    renditions,
    store,
    memory,
    uses,
    unused,
    handling,
    handle: makeHandlePhotoRequest(handling),
    forget: makeForgetPhotos({ store, images, renditions, uses, unused, metrics }),
  };
};

/** Opens the photo service. Its cache of manifests is shared: open it once in a process. */
export const openPhotos = (ports: PhotoPorts, settings: PhotosSettings): Photos => {
  const { store, memory, handle, forget } = composePhotos(ports, settings);
  const { log, clock, codecs, deadLetters, telemetry } = ports;
  return {
    useCases: { findRendition: (image, size) => store.find(image, size) },
    workers: {
      answerRequests: answerPhotoRequests({
        handle,
        log,
        clock,
        logger: telemetry.logger,
        codecs,
        deadLetters,
        metrics: telemetry.metrics,
        attemptsMax: settings.requestAttemptsMax,
      }),
      sweepMemory: sweepMemoryJob(memory),
      forgetPhotos: forgetPhotosJob(forget, settings.graceMs),
    },
  };
};

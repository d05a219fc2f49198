import {
  silentTelemetry,
  type BlobStore,
  type Clock,
  type Downloader,
  type GenericStorage,
  type LogPublisher,
  type Metrics,
  type Random,
} from '../../kernel/index.ts';
import { blobDigest } from '../../kernel/testing.ts';
import { composePhotos, defaultPhotosSettings, type PhotoParts } from '../open-photos.ts';
import type { PhotoSettings } from '../use-cases/handle-photo-request.ts';
import { inMemoryImages } from './in-memory-images.ts';
import { jsonPhotoCodecs } from './json-photo-codecs.ts';

const DAY_MS = 86_400_000;

export type TestPhotosNeeds = {
  readonly storage: GenericStorage;
  readonly blobs: BlobStore;
  readonly downloader: Downloader;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics?: Metrics;
  readonly graceMs?: number;
  readonly settleMs?: number;
  readonly settings?: PhotoSettings;
  /** Planted bugs. */
  readonly bugs?: PhotoParts;
};
const unusedPorts = {
  log: {} as LogPublisher,
  deadLetters: {
    encode: (): Uint8Array => {
      throw new Error('this test brings no log');
    },
    decode: () => {
      throw new Error('this test brings no log');
    },
  },
};

/** The photo service of a process over these stores, on pictures made of words. */
export const openTestPhotos = ({ metrics, graceMs, settleMs, settings, bugs, ...ports }: TestPhotosNeeds) =>
  composePhotos(
    {
      ...unusedPorts,
      ...ports,
      digest: blobDigest,
      processor: inMemoryImages(),
      codecs: jsonPhotoCodecs,
      telemetry: { ...silentTelemetry, metrics: metrics ?? silentTelemetry.metrics },
    },
    {
      ...defaultPhotosSettings,
      ...settings,
      remember: { readyMs: 7 * DAY_MS, failedMs: DAY_MS },
      graceMs: graceMs ?? DAY_MS,
      settleMs: settleMs ?? 60_000,
    },
    bugs,
  );
export type TestPhotos = ReturnType<typeof openTestPhotos>;

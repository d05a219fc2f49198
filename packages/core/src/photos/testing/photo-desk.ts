import {
  silentTelemetry,
  type BlobStore,
  type Clock,
  type Downloader,
  type GenericStorage,
  type Metrics,
  type Random,
} from '../../kernel/index.ts';
import { blobDigest } from '../../kernel/testing.ts';
import { makeForgetPhotos } from '../use-cases/forget-photos.ts';
import { makeHandlePhotoRequest, type PhotoSettings } from '../use-cases/handle-photo-request.ts';
import { makeImageStore } from '../use-cases/image-store.ts';
import { makeKeeping, type Keeping } from '../use-cases/keeping.ts';
import { makePhotoMemory } from '../use-cases/photo-memory.ts';
import { makePhotoMetrics } from '../use-cases/photo-metrics.ts';
import { makePhotoUses, type PhotoUses } from '../use-cases/photo-uses.ts';
import { makeUnusedQueue, type UnusedQueue } from '../use-cases/unused.ts';
import { inMemoryImages } from './in-memory-images.ts';
import { jsonPhotoCodecs as codecs } from './json-photo-codecs.ts';

const DAY_MS = 86_400_000;

export type PhotoDeskNeeds = {
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
  readonly bugs?: PhotoBugs;
};
export type PhotoBugs = {
  readonly keepingOf?: (right: Keeping) => Keeping;
  readonly usesOf?: (right: PhotoUses) => PhotoUses;
  readonly unusedOf?: (right: UnusedQueue) => UnusedQueue;
};
const same = <T>(right: T): T => right;

/** Every use case of a process over these stores, on pictures made of words. */
export const photoDesk = (needs: PhotoDeskNeeds) => {
  const { storage, blobs, clock, settings, settleMs = 60_000, bugs = {} } = needs;
  const { keepingOf = same, usesOf = same, unusedOf = same } = bugs;
  const kept = { storage, clock, codec: codecs.kept, settleMs };
  const images = keepingOf(makeKeeping({ ...kept, space: 'photo-images' }));
  const renditions = keepingOf(makeKeeping({ ...kept, space: 'photo-blobs' }));
  const store = makeImageStore({ blobs, clock, renditions, codec: codecs.manifest, digest: blobDigest });
  const memory = makePhotoMemory({
    ...{ storage, clock, codec: codecs.remembered },
    settings: { readyMs: 7 * DAY_MS, failedMs: DAY_MS },
  });
  const unused = unusedOf(makeUnusedQueue({ storage, clock, graceMs: needs.graceMs ?? DAY_MS }));
  const uses = usesOf(makePhotoUses({ storage, images, unused, memory, codec: codecs.uses }));
  const metrics = makePhotoMetrics(needs.metrics ?? silentTelemetry.metrics);
  const { downloader, random } = needs;
  const handling = {
    ...{ downloader, random, clock, images: store, memory, uses, metrics, processor: inMemoryImages() },
    ...(settings ? { settings } : {}),
  };
  return {
    ...{ images, renditions, store, memory, uses, unused, handling },
    handle: makeHandlePhotoRequest(handling),
    forget: makeForgetPhotos({ store, images, renditions, uses, unused, metrics }),
  };
};
export type PhotoDesk = ReturnType<typeof photoDesk>;

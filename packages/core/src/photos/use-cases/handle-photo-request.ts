import { err, errAsync, ok, ResultAsync, type Result } from 'neverthrow';
import {
  DownloadInterrupted,
  mapBounded,
  retrying,
  unavailable,
  type Backoff,
  type Clock,
  type Downloader,
  type DownloadError,
  type DownloadLimits,
  type Random,
  type Unavailable,
} from '../../kernel/index.ts';
import { failureOf, isTransient, type ImageError } from '../domain/failure.ts';
import type { Photo, PhotoOutcome, PhotoRequest, PhotoResult } from '../domain/photo.ts';
import type { ImageProcessor, RenderOptions } from '../ports/image-processor.port.ts';
import type { ImageStore } from './image-store.ts';
import type { PhotoMemory } from './photo-memory.ts';
import type { PhotoMetrics } from './photo-metrics.ts';
import { makeSlots } from './slots.ts';

export type PhotoSettings = {
  readonly download: DownloadLimits;
  readonly render: RenderOptions;
  /** How often, and how patiently, a URL is tried before its failure is told. */
  readonly retry: Backoff;
  /** Pictures that are worked on at a time, in the whole process. */
  readonly parallelMax: number;
};
export const defaultPhotoSettings: PhotoSettings = {
  download: {
    bytesMax: 20 << 20,
    decodedBytesMax: 20 << 20,
    totalMs: 30_000,
    connectMs: 5_000,
    idleMs: 10_000,
    redirectsMax: 5,
  },
  render: { sizes: [160, 480, 1280], pixelsMax: 50_000_000 },
  retry: { firstMs: 1_000, factor: 4, maxMs: 30_000, jitter: 0.5, attemptsMax: 3 },
  parallelMax: 4,
};

/**
 * Answers for every URL of a request, good or bad. Fails only when our own storage does, or the signal aborted: then
 * nothing is known, and the request is to be handled again.
 */
export type HandlePhotoRequest = (
  request: PhotoRequest,
  signal?: AbortSignal,
) => ResultAsync<PhotoResult, Unavailable>;

type Needs = {
  readonly downloader: Downloader;
  readonly processor: ImageProcessor;
  readonly images: ImageStore;
  readonly memory: PhotoMemory;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: PhotoMetrics;
  readonly settings?: PhotoSettings;
};

/** Our own storage failed: no fault of the URL, and no reason to fetch it again. */
type StoreFailed = { readonly kind: 'StoreFailed'; readonly error: Unavailable };
type AttemptError = DownloadError | ImageError | StoreFailed;
const storeFailed = (error: Unavailable): StoreFailed => ({ kind: 'StoreFailed', error });

const collect = async (body: AsyncIterable<Uint8Array>): Promise<Result<Uint8Array, DownloadError>> => {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch (cause) {
    if (cause instanceof DownloadInterrupted) return err(cause.error);
    throw cause;
  }
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return ok(whole);
};

export const makeHandlePhotoRequest = ({
  downloader,
  processor,
  images,
  memory,
  clock,
  random,
  metrics,
  settings = defaultPhotoSettings,
}: Needs): HandlePhotoRequest => {
  const slots = makeSlots(settings.parallelMax);

  const download = (url: string, signal: AbortSignal | undefined): ResultAsync<Uint8Array, DownloadError> =>
    downloader
      .fetch({ url, limits: settings.download, ...(signal ? { signal } : {}) })
      .andThen((found) =>
        found.kind === 'content'
          ? new ResultAsync(collect(found.body))
          : errAsync<Uint8Array, DownloadError>({ kind: 'BadResponse', reason: 'unchanged, but since when' }),
      )
      .andTee(({ length }) => metrics.fetched(length));

  const attempt = (url: string, signal: AbortSignal | undefined): ResultAsync<PhotoOutcome, AttemptError> =>
    download(url, signal)
      .mapErr((error): AttemptError => error)
      .andThen((content) => processor.render(content, settings.render))
      .andThen((image) =>
        images
          .put(image, processor.contentType)
          .andTee(() => metrics.stored(image))
          .mapErr(storeFailed),
      );

  const fetchPhoto = (url: string, signal: AbortSignal | undefined): ResultAsync<PhotoOutcome, Unavailable> =>
    retrying(() => new ResultAsync(slots(async () => attempt(url, signal))), {
      clock,
      random,
      policy: settings.retry,
      isRetryable: (error) => error.kind !== 'StoreFailed' && isTransient(error),
      ...(signal ? { signal } : {}),
    }).orElse((error): Result<PhotoOutcome, Unavailable> => {
      if (error.kind === 'StoreFailed') return err(error.error);
      // What was broken off by us says nothing about the URL.
      if (signal?.aborted) return err(unavailable('photo request aborted'));
      return ok({ kind: 'failed', ...failureOf(error) });
    });

  const recall = (url: string): ResultAsync<Photo | undefined, Unavailable> =>
    memory
      .recall(url)
      .andThen((known) =>
        known?.outcome.kind === 'ready'
          ? images.has(known.outcome.imageId).map((there) => (there ? known : undefined))
          : ok(known),
      );

  const settle = (url: string, signal: AbortSignal | undefined): ResultAsync<Photo, Unavailable> =>
    recall(url).andThen((known) => {
      if (known) {
        metrics.recalled();
        return ok(known);
      }
      return fetchPhoto(url, signal)
        .map((outcome): Photo => ({ url, outcome }))
        .andTee(({ outcome }) => metrics.settled(outcome))
        .andThrough((photo) => memory.remember(photo));
    });

  const underWay = new Map<string, ResultAsync<Photo, Unavailable>>();
  /** Requests that name one URL at the same time share its answer; only what was broken off is begun anew by the other. */
  const photoOf = (url: string, signal: AbortSignal | undefined): ResultAsync<Photo, Unavailable> => {
    const begun = underWay.get(url);
    if (begun) return begun.orElse(() => settle(url, signal));
    const photo = settle(url, signal);
    underWay.set(url, photo);
    const over = (): void => void underWay.delete(url);
    return photo.andTee(over).orTee(over);
  };

  return ({ offerId, urls }, signal) =>
    mapBounded([...new Set(urls)], settings.parallelMax, (url) => photoOf(url, signal)).map((photos) => ({
      offerId,
      photos,
    }));
};

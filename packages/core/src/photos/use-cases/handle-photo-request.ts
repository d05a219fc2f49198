import { err, errAsync, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
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
import type { HostPatience } from '../domain/host-health.ts';
import type { Photo, PhotoOutcome, PhotoRequest, PhotoResult } from '../domain/photo.ts';
import type { ImageProcessor, RenderOptions } from '../ports/image-processor.port.ts';
import type { ImageStore, PreparedImage } from './image-store.ts';
import type { PhotoMemory } from './photo-memory.ts';
import type { PhotoMetrics } from './photo-metrics.ts';
import type { OfferLedger, PhotoUses } from './photo-uses.ts';
import { makeSilentHosts } from './silent-hosts.ts';
import { makeSlots } from './slots.ts';

export type PhotoSettings = {
  readonly download: DownloadLimits;
  readonly render: RenderOptions;
  /** How often, and how patiently, a URL is tried before its failure is told. */
  readonly retry: Backoff;
  /** Pictures that are worked on at a time, in the whole process. */
  readonly parallelMax: number;
  /** When a host that does not answer is left alone. */
  readonly hosts: HostPatience;
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
  hosts: { failuresMax: 5, pauseMs: 60_000 },
};

/**
 * Answers for every URL of a request, good or bad, but for those that the offer has let go since; a picture that is ready
 * stays while the offer names it. Fails only when our own storage does, or the signal aborted: then
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
  readonly uses: PhotoUses;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: PhotoMetrics;
  readonly settings?: PhotoSettings;
};

/** Our own storage failed: no fault of the URL, and no reason to fetch it again. */
type StoreFailed = { readonly kind: 'StoreFailed'; readonly error: Unavailable };
/** The host did not answer several times. It is not asked now, and a repetition would not ask it either. */
type HostLeftAlone = { readonly kind: 'HostLeftAlone' };
type AttemptError = DownloadError | ImageError | StoreFailed | HostLeftAlone;
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
  uses,
  clock,
  random,
  metrics,
  settings = defaultPhotoSettings,
}: Needs): HandlePhotoRequest => {
  const slots = makeSlots(settings.parallelMax);
  const hosts = makeSilentHosts(clock, settings.hosts);

  const download = (url: string, signal: AbortSignal | undefined): ResultAsync<Uint8Array, DownloadError> =>
    downloader
      .fetch({ url, limits: settings.download, ...(signal ? { signal } : {}) })
      .andThen((found) =>
        found.kind === 'content'
          ? new ResultAsync(collect(found.body))
          : errAsync<Uint8Array, DownloadError>({ kind: 'BadResponse', reason: 'unchanged, but since when' }),
      )
      .andTee(({ length }) => metrics.fetched(length))
      .andTee(() => hosts.note(url, undefined))
      .orTee((error) => {
        // What was broken off by us says nothing about the host.
        if (!signal?.aborted) hosts.note(url, error);
      });

  /** The offer holds the picture before its bytes are stored, so that it is not deleted in between. */
  const store = (
    url: string,
    image: PreparedImage,
    ledger: OfferLedger,
  ): ResultAsync<PhotoOutcome, StoreFailed> =>
    ledger
      .use(url, image.outcome.imageId, [...image.parts.keys()])
      .andThen(() => images.put(image))
      .map(() => image.outcome)
      .mapErr(storeFailed);
  const attempt = (
    url: string,
    ledger: OfferLedger,
    signal: AbortSignal | undefined,
  ): ResultAsync<PhotoOutcome, AttemptError> =>
    (hosts.isLeftAlone(url)
      ? errAsync<Uint8Array, AttemptError>({ kind: 'HostLeftAlone' })
      : download(url, signal).mapErr((error): AttemptError => error)
    )
      .andThen((content) => processor.render(content, settings.render))
      .andThen((image) =>
        store(url, images.prepare(image, processor.contentType), ledger).andTee(() => metrics.stored(image)),
      );

  const fetchPhoto = (
    url: string,
    ledger: OfferLedger,
    signal: AbortSignal | undefined,
  ): ResultAsync<PhotoOutcome, Unavailable> =>
    retrying(() => new ResultAsync(slots(async () => attempt(url, ledger, signal))), {
      clock,
      random,
      policy: settings.retry,
      isRetryable: (error) =>
        error.kind !== 'StoreFailed' && error.kind !== 'HostLeftAlone' && isTransient(error),
      ...(signal ? { signal } : {}),
    }).orElse((error): Result<PhotoOutcome, Unavailable> => {
      if (error.kind === 'StoreFailed') return err(error.error);
      // What was broken off by us says nothing about the URL.
      if (signal?.aborted) return err(unavailable('photo request aborted'));
      const said = error.kind === 'HostLeftAlone' ? unavailable('the host does not answer') : error;
      return ok({ kind: 'failed', ...failureOf(said) });
    });

  /** The same photo, held for this offer too; undefined when the picture is not there any more. */
  const held = (photo: Photo, ledger: OfferLedger): ResultAsync<Photo | undefined, Unavailable> => {
    const { url, outcome } = photo;
    if (outcome.kind === 'failed') return okAsync(photo);
    return ledger
      .use(url, outcome.imageId)
      .andThen((use) => (use === 'kept' ? images.has(outcome.imageId) : ok(false)))
      .map((there) => (there ? photo : undefined));
  };
  const recall = (url: string, ledger: OfferLedger): ResultAsync<Photo | undefined, Unavailable> =>
    memory.recall(url).andThen((known) => (known ? held(known, ledger) : ok(undefined)));

  const settle = (
    url: string,
    ledger: OfferLedger,
    signal: AbortSignal | undefined,
  ): ResultAsync<Photo, Unavailable> =>
    recall(url, ledger).andThen((known) => {
      if (known) {
        metrics.recalled();
        return ok(known);
      }
      return fetchPhoto(url, ledger, signal)
        .map((outcome): Photo => ({ url, outcome }))
        .andTee(({ outcome }) => metrics.settled(outcome))
        .andThrough((photo) => memory.remember(photo));
    });

  const underWay = new Map<string, ResultAsync<Photo, Unavailable>>();
  /** Requests that name one URL at the same time share its answer; only what was broken off is begun anew by the other. */
  const photoOf = (
    url: string,
    ledger: OfferLedger,
    signal: AbortSignal | undefined,
  ): ResultAsync<Photo, Unavailable> => {
    const begun = underWay.get(url);
    if (begun)
      return begun
        .andThen((photo) => held(photo, ledger))
        .orElse(() => ok(undefined))
        .andThen((photo) => (photo ? ok(photo) : settle(url, ledger, signal)));
    const photo = settle(url, ledger, signal);
    underWay.set(url, photo);
    const over = (): void => void underWay.delete(url);
    return photo.andTee(over).orTee(over);
  };

  return (request, signal) => {
    const { offerId, urls } = request;
    return uses
      .begin(request)
      .andThen((ledger) =>
        mapBounded(
          [...new Set(urls)].filter((url) => ledger.names(url)),
          settings.parallelMax,
          (url) => photoOf(url, ledger, signal),
        ),
      )
      .map((photos) => ({ offerId, photos }));
  };
};

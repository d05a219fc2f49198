import type { BlobHash, Kept } from '@doska/core/kernel';
import {
  findLongUrl,
  PHOTO_URLS_MAX,
  type ImageManifest,
  type OfferUses,
  type Photo,
  type PhotoFailureCode,
  type PhotoOutcome,
  type PhotoRequest,
  type PhotoResult,
  type PhotoUse,
  type RememberedPhoto,
} from '@doska/core/photos';
import { err, ok, Result } from 'neverthrow';
import {
  PhotoFailure as PbFailure,
  type Photo as PbPhoto,
  type PhotoRequest as PbRequest,
  type PhotoResult as PbResult,
  type ReadyPhoto as PbReady,
} from '../generated/doska/photos/v1/photos.ts';
import type {
  ImageManifest as PbManifest,
  KeptThing as PbKept,
  OfferUses as PbUses,
  PhotoUse as PbUse,
  RememberedPhoto as PbRemembered,
  Rendition as PbRendition,
} from '../generated/doska/photos/stored/v1/stored.ts';
import { enumTable } from '../enum-table.mapper.ts';
import { timestampFromMs, timestampToMs } from '../timestamps.mapper.ts';

/** The name of the field that makes no sense. */
type Read<T> = Result<T, string>;

const failures = enumTable<PhotoFailureCode>({
  'bad-url': PbFailure.PHOTO_FAILURE_BAD_URL,
  'forbidden-address': PbFailure.PHOTO_FAILURE_FORBIDDEN_ADDRESS,
  unreachable: PbFailure.PHOTO_FAILURE_UNREACHABLE,
  'timed-out': PbFailure.PHOTO_FAILURE_TIMED_OUT,
  'not-found': PbFailure.PHOTO_FAILURE_NOT_FOUND,
  refused: PbFailure.PHOTO_FAILURE_REFUSED,
  'too-many-redirects': PbFailure.PHOTO_FAILURE_TOO_MANY_REDIRECTS,
  'too-large': PbFailure.PHOTO_FAILURE_TOO_LARGE,
  'not-a-picture': PbFailure.PHOTO_FAILURE_NOT_A_PICTURE,
  'too-many-pixels': PbFailure.PHOTO_FAILURE_TOO_MANY_PIXELS,
  'too-complex': PbFailure.PHOTO_FAILURE_TOO_COMPLEX,
});

const isMoment = (us: bigint): boolean => us >= 0n && us <= BigInt(Number.MAX_SAFE_INTEGER);

export const requestToPb = ({ offerId, urls, released, atUs }: PhotoRequest): PbRequest => ({
  offerId,
  urls: [...urls],
  atUs: BigInt(atUs),
  ...(released === 'all'
    ? { released: [], releasedAll: true }
    : { released: [...released], releasedAll: false }),
});
export const requestFromPb = (request: PbRequest): Read<PhotoRequest> => {
  const { offerId, urls, released, releasedAll, atUs } = request;
  if (offerId === '') return err('offer_id');
  if (urls.length > PHOTO_URLS_MAX) return err('urls');
  if (released.length > PHOTO_URLS_MAX) return err('released');
  const long = findLongUrl(urls);
  if (long >= 0) return err(`urls[${long}]`);
  const longReleased = findLongUrl(released);
  if (longReleased >= 0) return err(`released[${longReleased}]`);
  if (!isMoment(atUs)) return err('at_us');
  return ok({ offerId, urls, released: releasedAll ? 'all' : released, atUs: Number(atUs) });
};

const outcomeToPb = (outcome: PhotoOutcome): PbPhoto['outcome'] => {
  if (outcome.kind === 'failed') {
    const { code, message, permanent } = outcome;
    return { $case: 'failed', value: { reason: failures.toPb(code) as PbFailure, message, permanent } };
  }
  const { imageId, width, height, sizes } = outcome;
  return { $case: 'ready', value: { imageId, width, height, sizes: sizes.map((size) => ({ ...size })) } };
};
const HASH = /^[0-9a-f]{64}$/;
const readyFromPb = ({ imageId, width, height, sizes }: PbReady): Read<PhotoOutcome> =>
  HASH.test(imageId)
    ? ok({ kind: 'ready', imageId: imageId as BlobHash, width, height, sizes })
    : err('ready.image_id');
const outcomeFromPb = (outcome: PbPhoto['outcome']): Read<PhotoOutcome> => {
  if (!outcome) return err('outcome');
  if (outcome.$case === 'ready') return readyFromPb(outcome.value);
  const { reason, message, permanent } = outcome.value;
  const code = failures.fromPb(reason);
  return code ? ok({ kind: 'failed', code, message, permanent }) : err('failed.reason');
};
const photoToPb = ({ url, outcome }: Photo): PbPhoto => ({ url, outcome: outcomeToPb(outcome) });
const photoFromPb = ({ url, outcome }: PbPhoto): Read<Photo> =>
  outcomeFromPb(outcome).map((known) => ({ url, outcome: known }));

export const resultToPb = ({ offerId, photos }: PhotoResult): PbResult => ({
  offerId,
  photos: photos.map(photoToPb),
});
export const resultFromPb = ({ offerId, photos }: PbResult): Read<PhotoResult> => {
  if (offerId === '') return err('offer_id');
  const long = findLongUrl(photos.map(({ url }) => url));
  if (long >= 0) return err(`photos[${long}].url`);
  return Result.combine(photos.map(photoFromPb)).map((all) => ({ offerId, photos: all }));
};

const BLOB_BYTES = 32;
const renditionFromPb = ({ blob, ...same }: PbRendition): Read<ImageManifest['renditions'][number]> =>
  blob.length === BLOB_BYTES
    ? ok({ ...same, blob: Buffer.from(blob).toString('hex') as BlobHash })
    : err('renditions.blob');
export const manifestToPb = ({ renditions, ...same }: ImageManifest): PbManifest => ({
  ...same,
  renditions: renditions.map(({ blob, ...size }) => ({ ...size, blob: Buffer.from(blob, 'hex') })),
});
export const manifestFromPb = ({
  contentType,
  width,
  height,
  renditions,
}: PbManifest): Read<ImageManifest> =>
  contentType === ''
    ? err('content_type')
    : Result.combine(renditions.map(renditionFromPb)).map((all) => ({
        contentType,
        width,
        height,
        renditions: all,
      }));

const hashFromPb = (bytes: Uint8Array): BlobHash => Buffer.from(bytes).toString('hex') as BlobHash;
export const keptToPb = ({ parts, leaving }: Kept): PbKept => ({
  parts: parts.map((part) => Buffer.from(part, 'hex')),
  leavingSince: leaving && timestampFromMs(leaving.sinceMs),
  erased: leaving?.erased ?? false,
});
export const keptFromPb = ({ parts, leavingSince, erased }: PbKept): Read<Kept> => {
  if (parts.some(({ length }) => length !== BLOB_BYTES)) return err('parts');
  const sinceMs = leavingSince && timestampToMs(leavingSince);
  if (sinceMs !== undefined && !Number.isSafeInteger(sinceMs)) return err('leaving_since');
  return ok({
    parts: parts.map(hashFromPb),
    leaving: sinceMs === undefined ? undefined : { sinceMs, erased },
  });
};
const useToPb = ({ urlKey, atUs, imageId }: PhotoUse): PbUse => ({
  urlKey,
  atUs: BigInt(atUs),
  imageId: Buffer.from(imageId ?? '', 'hex'),
});
export const usesToPb = ({ atUs, uses, gone }: OfferUses): PbUses => ({
  atUs: BigInt(atUs),
  uses: uses.map(useToPb),
  gone: gone.map(useToPb),
});
const useFromPb = ({ urlKey, atUs, imageId }: PbUse): Read<PhotoUse> => {
  if (urlKey === '') return err('uses.url_key');
  if (!isMoment(atUs)) return err('uses.at_us');
  if (imageId.length === 0) return ok({ urlKey, atUs: Number(atUs), imageId: undefined });
  return imageId.length === BLOB_BYTES
    ? ok({ urlKey, atUs: Number(atUs), imageId: hashFromPb(imageId) })
    : err('uses.image_id');
};
export const usesFromPb = ({ atUs, uses, gone }: PbUses): Read<OfferUses> =>
  isMoment(atUs)
    ? Result.combine([Result.combine(uses.map(useFromPb)), Result.combine(gone.map(useFromPb))]).map(
        ([named, left]) => ({ atUs: Number(atUs), uses: named, gone: left }),
      )
    : err('at_us');

export const rememberedToPb = ({ fetchedAtMs, ...photo }: RememberedPhoto): PbRemembered => ({
  photo: photoToPb(photo),
  fetchedAt: timestampFromMs(fetchedAtMs),
});
export const rememberedFromPb = ({ photo, fetchedAt }: PbRemembered): Read<RememberedPhoto> => {
  const fetchedAtMs = fetchedAt && timestampToMs(fetchedAt);
  if (fetchedAtMs === undefined || !Number.isSafeInteger(fetchedAtMs)) return err('fetched_at');
  return photo ? photoFromPb(photo).map((known) => ({ ...known, fetchedAtMs })) : err('photo');
};

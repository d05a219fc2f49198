import {
  blobArea,
  unavailable,
  type BlobHash,
  type BlobNotFound,
  type BlobStore,
  type Unavailable,
} from '../../kernel/index.ts';
import { errAsync, okAsync, ResultAsync } from 'neverthrow';
import type { ImageId, PhotoOutcome } from '../domain/photo.ts';
import type { RenderedImage } from '../ports/image-processor.port.ts';
import type { ImageManifest, PhotoCodecs } from '../ports/photo-codecs.port.ts';

/** Renditions and lists of renditions lie apart, so that a picture is never taken for a list. */
const RENDITIONS = blobArea('photos')._unsafeUnwrap();
const MANIFESTS = blobArea('photo-manifests')._unsafeUnwrap();
const MANIFEST_BYTES_MAX = 64 * 1024;

export type StoredRendition = {
  readonly contentType: string;
  readonly bytes: number;
  readonly blob: BlobHash;
  readonly read: () => ResultAsync<AsyncIterable<Uint8Array>, BlobNotFound | Unavailable>;
};
export type UnknownPhoto = { readonly kind: 'UnknownPhoto' };

/** Pictures in a blob store, found by image id and size. What was stored once is never changed. */
export interface ImageStore {
  /** The picture is served when this resolves; storing it again is the same picture. */
  put(image: RenderedImage, contentType: string): ResultAsync<PhotoOutcome & { kind: 'ready' }, Unavailable>;
  has(image: ImageId): ResultAsync<boolean, Unavailable>;
  find(image: ImageId, size: number): ResultAsync<StoredRendition, UnknownPhoto | Unavailable>;
}

async function* once(content: Uint8Array): AsyncIterable<Uint8Array> {
  yield content;
}
const together = async (chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

type Needs = {
  readonly blobs: BlobStore;
  readonly codec: PhotoCodecs['manifest'];
  /** Lists of renditions that are kept at hand: they never change, so they never grow old. */
  readonly manifestsMax?: number;
};

export const makeImageStore = ({ blobs, codec, manifestsMax = 10_000 }: Needs): ImageStore => {
  const atHand = new Map<ImageId, ImageManifest>();
  const keep = (image: ImageId, manifest: ImageManifest): void => {
    atHand.set(image, manifest);
    const [oldest] = atHand.keys();
    if (atHand.size > manifestsMax && oldest !== undefined) atHand.delete(oldest);
  };
  const putBlob = (area: typeof RENDITIONS, content: Uint8Array): ResultAsync<BlobHash, Unavailable> =>
    blobs
      .put(area, once(content), { bytesMax: content.length })
      .map(({ hash }) => hash)
      .mapErr((error) => (error.kind === 'Unavailable' ? error : unavailable('photo put', error)));

  const load = (image: ImageId): ResultAsync<ImageManifest, UnknownPhoto | Unavailable> => {
    const known = atHand.get(image);
    if (known) return okAsync(known);
    return blobs
      .read({ area: MANIFESTS, hash: image }, { range: { from: 0, to: MANIFEST_BYTES_MAX } })
      .mapErr((error): UnknownPhoto | Unavailable =>
        error.kind === 'Unavailable' ? error : { kind: 'UnknownPhoto' },
      )
      .andThen((chunks) =>
        ResultAsync.fromPromise(together(chunks), (cause) => unavailable('photo manifest', cause)),
      )
      .andThen((bytes) => codec.decode(bytes).mapErr((cause) => unavailable('photo manifest', cause, false)))
      .andTee((manifest) => keep(image, manifest));
  };

  return {
    put: ({ width, height, renditions }, contentType) =>
      ResultAsync.combine(
        renditions.map(({ content, ...size }) =>
          putBlob(RENDITIONS, content).map((blob) => ({ ...size, blob, bytes: content.length })),
        ),
      ).andThen((stored) => {
        const sizes = renditions.map(({ size, width, height }) => ({ size, width, height }));
        // The list comes last: a picture that can be found is there in every size.
        return putBlob(MANIFESTS, codec.encode({ contentType, width, height, renditions: stored })).map(
          (imageId) => ({ kind: 'ready' as const, imageId, width, height, sizes }),
        );
      }),
    has: (image) =>
      atHand.has(image)
        ? okAsync(true)
        : blobs
            .stat({ area: MANIFESTS, hash: image })
            .map(() => true)
            .orElse((error) => (error.kind === 'BlobNotFound' ? okAsync(false) : errAsync(error))),
    find: (image, size) =>
      load(image).andThen(({ contentType, renditions }) => {
        const found = renditions.find((each) => each.size === size);
        if (!found) return errAsync<StoredRendition, UnknownPhoto | Unavailable>({ kind: 'UnknownPhoto' });
        const { blob, bytes } = found;
        const read: StoredRendition['read'] = () =>
          blobs
            .read({ area: RENDITIONS, hash: blob })
            .mapErr((error) => (error.kind === 'InvalidRange' ? unavailable('photo read', error) : error));
        return okAsync<StoredRendition, UnknownPhoto | Unavailable>({ contentType, blob, bytes, read });
      }),
  };
};

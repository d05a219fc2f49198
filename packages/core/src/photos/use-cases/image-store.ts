import {
  blobArea,
  unavailable,
  type BlobDigest,
  type BlobHash,
  type BlobName,
  type BlobNotFound,
  type BlobStore,
  type Clock,
  type Unavailable,
  type Keeping,
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

/** A picture before it is stored: its id and its blobs are known, so that an offer can hold it first. */
export type PreparedImage = {
  readonly outcome: PhotoOutcome & { readonly kind: 'ready' };
  /** The contents of its renditions by their names. Two sizes of a small picture are one. */
  readonly parts: ReadonlyMap<BlobHash, Uint8Array>;
  readonly manifest: Uint8Array;
};

/** Pictures in a blob store, found by image id and size. What was stored once is never changed, only deleted. */
export interface ImageStore {
  prepare(image: RenderedImage, contentType: string): PreparedImage;
  /** The picture is served when this resolves; storing it again is the same picture. It must have a holder. */
  put(image: PreparedImage): ResultAsync<void, Unavailable>;
  /** There in every size. */
  has(image: ImageId): ResultAsync<boolean, Unavailable>;
  hasRendition(blob: BlobHash): ResultAsync<boolean, Unavailable>;
  find(image: ImageId, size: number): ResultAsync<StoredRendition, UnknownPhoto | Unavailable>;
  /** The picture is not found any more, but its renditions are there. */
  deleteManifest(image: ImageId): ResultAsync<void, Unavailable>;
  deleteRendition(blob: BlobHash): ResultAsync<void, Unavailable>;
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
  readonly digest: BlobDigest;
  readonly clock: Clock;
  /** Renditions, held by the pictures that are made of them: two pictures may share one. */
  readonly renditions: Keeping;
  /** Lists of renditions that are kept at hand. They never change, but a picture may be deleted by another process. */
  readonly manifestsMax?: number;
  readonly manifestMs?: number;
};

export const makeImageStore = ({
  blobs,
  codec,
  digest,
  clock,
  renditions,
  manifestsMax = 10_000,
  manifestMs = 60_000,
}: Needs): ImageStore => {
  const atHand = new Map<ImageId, { readonly manifest: ImageManifest; readonly untilMs: number }>();
  const keep = (image: ImageId, manifest: ImageManifest): void => {
    atHand.set(image, { manifest, untilMs: clock.nowMs() + manifestMs });
    const [oldest] = atHand.keys();
    if (atHand.size > manifestsMax && oldest !== undefined) atHand.delete(oldest);
  };
  const known = (image: ImageId): ImageManifest | undefined => {
    const found = atHand.get(image);
    if (found && found.untilMs > clock.nowMs()) return found.manifest;
    atHand.delete(image);
    return undefined;
  };
  const putBlob = (area: typeof RENDITIONS, content: Uint8Array): ResultAsync<BlobHash, Unavailable> =>
    blobs
      .put(area, once(content), { bytesMax: content.length })
      .map(({ hash }) => hash)
      .mapErr((error) => (error.kind === 'Unavailable' ? error : unavailable('photo put', error)));

  const isStored = (blob: BlobName): ResultAsync<boolean, Unavailable> =>
    blobs
      .stat(blob)
      .map(() => true)
      .orElse((error) => (error.kind === 'BlobNotFound' ? okAsync(false) : errAsync(error)));
  const load = (image: ImageId): ResultAsync<ImageManifest, UnknownPhoto | Unavailable> => {
    const found = known(image);
    if (found) return okAsync(found);
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
    prepare: ({ width, height, renditions: made }, contentType) => {
      const named = made.map(({ content, ...size }) => ({
        ...size,
        blob: digest(content),
        bytes: content.length,
      }));
      const manifest = codec.encode({ contentType, width, height, renditions: named });
      const sizes = made.map(({ size, width, height }) => ({ size, width, height }));
      return {
        outcome: { kind: 'ready', imageId: digest(manifest), width, height, sizes },
        parts: new Map(made.map(({ content }, index) => [named[index]!.blob, content])),
        manifest,
      };
    },
    put: ({ outcome, parts, manifest }) =>
      ResultAsync.combine(
        [...parts].map(([blob, content]) =>
          renditions.hold(blob, outcome.imageId, []).andThen(() => putBlob(RENDITIONS, content)),
        ),
      )
        // The list comes last: a picture that can be found is there in every size.
        .andThen(() => putBlob(MANIFESTS, manifest))
        .map(() => undefined),
    has: (image) => isStored({ area: MANIFESTS, hash: image }),
    hasRendition: (blob) => isStored({ area: RENDITIONS, hash: blob }),
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
    deleteManifest: (image) => {
      atHand.delete(image);
      return blobs.delete({ area: MANIFESTS, hash: image });
    },
    deleteRendition: (blob) => blobs.delete({ area: RENDITIONS, hash: blob }),
  };
};

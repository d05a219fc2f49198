import type { HttpCall, HttpReply, HttpRoute } from '@doska/adapters-http';
import { blobHash, type Access, type BlobHash } from '@doska/core/kernel';
import type { ImageStore, StoredRendition, UnknownPhoto } from '@doska/core/photos';
import { err, ok, type Result } from 'neverthrow';

const YEAR_SEC = 31_536_000;
const NOT_FOUND: UnknownPhoto = { kind: 'UnknownPhoto' };

/** What can't be an address of a picture is not found, as everything else that is not there. */
const addressOf = ({ params }: HttpCall): Result<{ image: BlobHash; size: number }, UnknownPhoto> => {
  const image = blobHash(params['image'] ?? '');
  const size = params['size'] ?? '';
  if (image.isErr() || !/^[1-9]\d{0,4}$/.test(size)) return err(NOT_FOUND);
  return ok({ image: image.value, size: Number(size) });
};

/**
 * The content of an address never changes, so whoever has seen it need not ask again. Shared caches ask once in a grace
 * time: they show nobody a picture that was forgotten long ago.
 */
const headersOf = ({ blob, bytes }: StoredRendition, graceMs: number): Record<string, string> => ({
  etag: `"${blob}"`,
  'cache-control': `public, max-age=${YEAR_SEC}, s-maxage=${Math.floor(graceMs / 1_000)}, immutable`,
  'content-length': String(bytes),
});
const isKnown = (condition: string | undefined, blob: string): boolean =>
  condition !== undefined &&
  condition
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === '*' || tag === `"${blob}"`);

/** `GET` and `HEAD /photos/<image id>/<size>`. */
export const photoRoute = (
  images: ImageStore,
  { access, graceMs }: { readonly access: Access; readonly graceMs: number },
): HttpRoute => ({
  method: 'GET',
  path: '/photos/:image/:size',
  access,
  errors: { UnknownPhoto: 404, BlobNotFound: 404 },
  handle: (call) =>
    addressOf(call)
      .asyncAndThen(({ image, size }) => images.find(image, size))
      .andThen((found) => {
        const { 'content-length': _length, ...headers } = headersOf(found, graceMs);
        if (isKnown(call.headers['if-none-match'], found.blob))
          return ok<HttpReply>({ status: 304, headers });
        return found.read().map((content): HttpReply => ({
          status: 200,
          headers: headersOf(found, graceMs),
          contentType: found.contentType,
          content,
        }));
      }),
});

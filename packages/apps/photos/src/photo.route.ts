import type { HttpCall, HttpReply, HttpRoute } from '@doska/adapters-http';
import { blobHash, type Access, type BlobHash } from '@doska/core/kernel';
import type { Photos, StoredRendition, UnknownPhoto } from '@doska/core/photos';
import { err, ok, type Result } from 'neverthrow';

const YEAR_SEC = 31_536_000;
const NOT_FOUND: UnknownPhoto = { kind: 'UnknownPhoto' };

/** A malformed id or size is not found, like an unknown photo. */
const addressOf = ({ params }: HttpCall): Result<{ image: BlobHash; size: number }, UnknownPhoto> => {
  const image = blobHash(params['image'] ?? '');
  const size = params['size'] ?? '';
  if (image.isErr() || !/^[1-9]\d{0,4}$/.test(size)) return err(NOT_FOUND);
  return ok({ image: image.value, size: Number(size) });
};

/**
 * The content of a URL never changes, so browsers keep it. Shared caches ask again once per grace time, so that they stop
 * serving a deleted photo.
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
  findRendition: Photos['useCases']['findRendition'],
  { access, graceMs }: { readonly access: Access; readonly graceMs: number },
): HttpRoute => ({
  method: 'GET',
  path: '/photos/:image/:size',
  access,
  errors: { UnknownPhoto: 'NOT_FOUND', BlobNotFound: 'NOT_FOUND' },
  handle: (call) =>
    addressOf(call)
      .asyncAndThen(({ image, size }) => findRendition(image, size))
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

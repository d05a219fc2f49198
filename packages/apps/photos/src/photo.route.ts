import type { HttpCall, HttpReply, HttpRoute, RouteDocs } from '@doska/adapters-http';
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

const DOCS: RouteDocs = {
  id: 'getPhoto',
  tag: 'Photos',
  summary: 'A photo of an offer in one of its sizes',
  description: 'The content of an address never changes.',
  parameters: [
    {
      name: 'image',
      in: 'path',
      description: 'The id of the image, as in the photos of an offer.',
      schema: { type: 'string' },
      example: 'f'.repeat(64),
    },
    {
      name: 'size',
      in: 'path',
      description: 'The longer side in pixels.',
      schema: { type: 'integer' },
      example: 640,
    },
    {
      name: 'If-None-Match',
      in: 'header',
      description: 'An ETag. If it is the same, the answer is 304.',
      schema: { type: 'string' },
    },
  ],
  answers: {
    200: {
      description: 'The picture.',
      headers: { ETag: { description: 'The hash of the content.', schema: { type: 'string' } } },
      content: { 'image/*': { schema: { type: 'string', format: 'binary' } } },
    },
    304: { description: 'The caller has it already.' },
  },
};

/** `GET` and `HEAD /photos/<image id>/<size>`. */
export const photoRoute = (
  findRendition: Photos['useCases']['findRendition'],
  { access, graceMs }: { readonly access: Access; readonly graceMs: number },
): HttpRoute => ({
  method: 'GET',
  path: '/photos/:image/:size',
  access,
  docs: DOCS,
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

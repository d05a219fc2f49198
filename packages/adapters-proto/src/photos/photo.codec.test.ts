import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import type { BlobHash, Codec, Kept } from '@doska/core/kernel';
import {
  PHOTO_FAILURES,
  PHOTO_URL_CHARS_MAX,
  PHOTO_URLS_MAX,
  type ImageManifest,
  type OfferUses,
  type Photo,
  type PhotoCodecs,
  type PhotoOutcome,
  type PhotoRequest,
  type PhotoResult,
  type RememberedPhoto,
} from '@doska/core/photos';
import { photoCodecs } from './photo.codec.ts';

const text = fc.string({ unit: 'binary', maxLength: 40 });
const name = fc.string({ minLength: 1, maxLength: 20 });
const moment = fc.integer({ min: 0, max: 2 ** 53 - 1 });
const pixels = fc.integer({ min: 0, max: 0xffffffff });
const hash = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('hex') as BlobHash);
const size = fc.record({ size: pixels, width: pixels, height: pixels });
const outcome: fc.Arbitrary<PhotoOutcome> = fc.oneof(
  fc.record({
    kind: fc.constant('ready' as const),
    imageId: hash,
    width: pixels,
    height: pixels,
    sizes: fc.array(size, { maxLength: 4 }),
  }),
  fc.record({
    kind: fc.constant('failed' as const),
    code: fc.constantFrom(...PHOTO_FAILURES),
    message: text,
    permanent: fc.boolean(),
  }),
);
const photo: fc.Arbitrary<Photo> = fc.record({ url: text, outcome });
const use = fc.record({ urlKey: name, atUs: moment, imageId: fc.option(hash, { nil: undefined }) });
type Values = {
  request: PhotoRequest;
  result: PhotoResult;
  manifest: ImageManifest;
  remembered: RememberedPhoto;
  kept: Kept;
  uses: OfferUses;
};
const any: { [K in keyof Values]: fc.Arbitrary<Values[K]> } = {
  request: fc.record({
    offerId: name,
    urls: fc.array(text, { maxLength: 5 }),
    released: fc.oneof(fc.constant('all' as const), fc.array(text, { maxLength: 5 })),
    atUs: moment,
  }),
  result: fc.record({ offerId: name, photos: fc.array(photo, { maxLength: 5 }) }),
  manifest: fc.record({
    contentType: name,
    width: pixels,
    height: pixels,
    renditions: fc.array(
      fc.tuple(size, hash, pixels).map(([one, blob, bytes]) => ({ ...one, blob, bytes })),
      { maxLength: 4 },
    ),
  }),
  remembered: fc
    .tuple(photo, fc.integer({ min: -1e12, max: 1e13 }))
    .map(([known, fetchedAtMs]) => ({ ...known, fetchedAtMs })),
  kept: fc.record({
    parts: fc.array(hash, { maxLength: 4 }),
    leaving: fc.option(fc.record({ sinceMs: fc.integer({ min: 0, max: 1e13 }), erased: fc.boolean() }), {
      nil: undefined,
    }),
  }),
  uses: fc.record({
    atUs: moment,
    uses: fc.array(use, { maxLength: 4 }),
    gone: fc.array(use, { maxLength: 4 }),
  }),
};

const image = 'c0ffee'.padEnd(64, '0') as BlobHash;
const sizes = [
  { size: 160, width: 160, height: 120 },
  { size: 1280, width: 800, height: 600 },
];
const ready: Photo = {
  url: 'https://фото.example/a.jpg?size=full',
  outcome: { kind: 'ready', imageId: image, width: 800, height: 600, sizes },
};
const failed: Photo = {
  url: 'http://127.0.0.1/b.jpg',
  outcome: {
    kind: 'failed',
    code: 'forbidden-address',
    message: 'the address is not on the public internet',
    permanent: true,
  },
};
const golden: Values = {
  request: { offerId: '7K2M9QXT4HB3R', urls: [ready.url, failed.url], released: [], atUs: 0 },
  result: { offerId: '7K2M9QXT4HB3R', photos: [ready, failed] },
  manifest: {
    contentType: 'image/webp',
    width: 800,
    height: 600,
    renditions: sizes.map((one, index) => ({
      ...one,
      blob: `0${index}`.repeat(32) as BlobHash,
      bytes: 1_000 + index,
    })),
  },
  remembered: { ...failed, fetchedAtMs: 1_700_000_000_123 },
  kept: { parts: [image], leaving: { sinceMs: 1_700_000_000_123, erased: true } },
  uses: {
    atUs: 1_700_000_000_123_456,
    uses: [
      { urlKey: '0123456789abcdef', atUs: 1_700_000_000_000_000, imageId: image },
      { urlKey: 'fedcba9876543210', atUs: 1_700_000_000_123_456, imageId: undefined },
    ],
    gone: [{ urlKey: '0123456789abcdef', atUs: 1, imageId: image }],
  },
};
const goldenBytes = (kind: keyof PhotoCodecs): Uint8Array =>
  Uint8Array.from(readFileSync(new URL(`../testdata/photo-${kind}.v1.bin`, import.meta.url)));
const codecOf = (kind: keyof PhotoCodecs) => photoCodecs[kind] as Codec<unknown>;
const kinds = Object.keys(golden) as (keyof Values)[];

describe.each(kinds)('%s', (kind) => {
  test('[G9] comes back as it was', () => {
    fc.assert(
      fc.property(any[kind] as fc.Arbitrary<unknown>, (value) => {
        expect(codecOf(kind).decode(codecOf(kind).encode(value))).toEqual(ok(value));
      }),
      { numRuns: 1000 },
    );
  });
  test('[G9] bytes written by the first version stay readable', () => {
    expect(codecOf(kind).decode(goldenBytes(kind))).toEqual(ok(golden[kind]));
  });
  test('[G9] the first version is still what is written', () => {
    expect(Uint8Array.from(codecOf(kind).encode(golden[kind]))).toEqual(goldenBytes(kind));
  });
  test('[G9] foreign bytes are a value, never an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const foreign of [bytes, Uint8Array.of(1, ...bytes)]) {
          const decoded = codecOf(kind).decode(foreign);
          if (decoded.isErr()) expect(decoded.error.kind).toBe('Malformed');
        }
      }),
      { numRuns: 1000 },
    );
  });
  test('[G9] a later version, and a cut message, are refused', () => {
    const field = (bytes: Uint8Array) => codecOf(kind).decode(bytes)._unsafeUnwrapErr().field;
    expect(field(Uint8Array.of())).toBe('version');
    expect(field(Uint8Array.of(2, ...goldenBytes(kind).subarray(1)))).toBe('version');
    expect(field(goldenBytes(kind).subarray(0, -1))).toBe('message');
  });
});

test.each([
  ['request', Uint8Array.of(1), 'offer_id'],
  ['result', Uint8Array.of(1), 'offer_id'],
  ['manifest', Uint8Array.of(1), 'content_type'],
  ['remembered', Uint8Array.of(1), 'fetched_at'],
] as const)('[G9] an empty %s is malformed', (kind, bytes, field) => {
  expect(photoCodecs[kind].decode(bytes)._unsafeUnwrapErr().field).toBe(field);
});
test('[G9] more URLs than a request may have are malformed', () => {
  const urls = Array.from({ length: PHOTO_URLS_MAX + 1 }, (_, i) => `http://a/${i}`);
  const field = (request: PhotoRequest) =>
    photoCodecs.request.decode(photoCodecs.request.encode(request))._unsafeUnwrapErr().field;
  expect(field({ offerId: 'x', urls, released: [], atUs: 1 })).toBe('urls');
  expect(field({ offerId: 'x', urls: [], released: urls, atUs: 1 })).toBe('released');
});
test('[X1] an address of more than 2,000 characters is malformed in requests and in results, with its place', () => {
  const [longest, long] = [PHOTO_URL_CHARS_MAX, PHOTO_URL_CHARS_MAX + 1].map((chars) => 'я'.repeat(chars));
  const request = { offerId: 'x', urls: [longest!], released: [longest!], atUs: 1 };
  const fieldOf = (change: Partial<PhotoRequest>) =>
    photoCodecs.request.decode(photoCodecs.request.encode({ ...request, ...change })).match(
      () => 'fine',
      ({ field }) => field,
    );
  expect(fieldOf({})).toBe('fine');
  expect(fieldOf({ urls: [longest!, long!] })).toBe('urls[1]');
  expect(fieldOf({ released: [long!] })).toBe('released[0]');
  const resultOf = (url: string) =>
    photoCodecs.result
      .decode(photoCodecs.result.encode({ offerId: 'x', photos: [failed, { ...failed, url }] }))
      .match(
        () => 'fine',
        ({ field }) => field,
      );
  expect([resultOf(longest!), resultOf(long!)]).toEqual(['fine', 'photos[1].url']);
});
test('[G9] a time before all times is malformed', () => {
  const decoded = photoCodecs.request.decode(
    photoCodecs.request.encode({ offerId: 'x', urls: [], released: [], atUs: -1 }),
  );
  expect(decoded._unsafeUnwrapErr().field).toBe('at_us');
});
test('[G9] what a request releases, and when, is read back', () => {
  const request = { offerId: 'x', urls: [], released: ['http://a/1'], atUs: 1_700_000_000_123_456 };
  expect(photoCodecs.request.decode(photoCodecs.request.encode(request))).toEqual(ok(request));
});
test('[G9] an image id that is no hash is malformed', () => {
  const odd = { ...ready, outcome: { ...ready.outcome, imageId: '../etc' as BlobHash } } as Photo;
  const decoded = photoCodecs.result.decode(photoCodecs.result.encode({ offerId: 'x', photos: [odd] }));
  expect(decoded._unsafeUnwrapErr().field).toBe('ready.image_id');
});

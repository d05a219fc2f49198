import { deflateSync, crc32 } from 'node:zlib';
import type { DownloadRequest, Downloaded, Downloader, DownloadError } from '@doska/core/kernel';
import { errAsync, okAsync, type ResultAsync } from 'neverthrow';

/** No server on the internet has this name (RFC 2606). */
const HOST = 'pictures.doska.invalid';
/** The demo has so many pictures, from 1 on. */
export const DEMO_PICTURES = 24;
/** The address of a demo picture. */
export const demoPictureUrl = (n: number): string => `http://${HOST}/${n}.png`;

const WIDTH = 480;
const HEIGHT = 360;
const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
};
const header = (): Buffer => {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(WIDTH, 0);
  data.writeUInt32BE(HEIGHT, 4);
  // 8 bits each of red, green and blue.
  data.set([8, 2, 0, 0, 0], 8);
  return data;
};
/** A PNG with bands of two colours. Its number sets the colours and the width of the bands. */
const pictureOf = (n: number): Uint8Array => {
  const colour = (at: number): readonly number[] =>
    [0, 1, 2].map((channel) => 60 + ((n * 67 + at * 101 + channel * 83) % 170));
  const band = 20 + (n % 6) * 12;
  const pixels = Buffer.alloc((WIDTH * 3 + 1) * HEIGHT);
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++)
      pixels.set(colour(Math.floor((x + y) / band) % 2), y * (WIDTH * 3 + 1) + 1 + x * 3);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header()),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', new Uint8Array()),
  ]);
};

const demoPicture = ({ url, limits }: DownloadRequest): ResultAsync<Downloaded, DownloadError> => {
  const n = Number(/^\/(\d{1,3})\.png$/.exec(new URL(url).pathname)?.[1] ?? 0);
  if (n < 1 || n > DEMO_PICTURES) return errAsync({ kind: 'HttpStatus', status: 404 });
  const bytes = pictureOf(n);
  const bytesMax = Math.min(limits.bytesMax, limits.decodedBytesMax);
  if (bytes.length > bytesMax) return errAsync({ kind: 'DownloadTooLarge', bytesMax, of: 'body' });
  const body = async function* () {
    yield bytes;
  };
  return okAsync({ kind: 'content', url, contentType: 'image/png', etag: `"${n}"`, body: body() });
};

/** Answers the addresses of demo pictures without a connection, so that made-up offers have pictures. All others go to `inner`. */
export const withDemoPictures = (inner: Downloader): Downloader => ({
  fetch: (request) =>
    URL.canParse(request.url) && new URL(request.url).host === HOST
      ? demoPicture(request)
      : inner.fetch(request),
});

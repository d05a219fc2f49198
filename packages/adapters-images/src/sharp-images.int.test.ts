import { deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { imageProcessorContract } from '@doska/core/photos/testing';
import { describe, expect, test } from 'vitest';
import { sharpImages } from './sharp-images.ts';

const processor = sharpImages();
const options = { sizes: [100], pixelsMax: 1_000_000 };
const plain = (width: number, height: number, shade = 128): Sharp =>
  sharp({ create: { width, height, channels: 3, background: { r: shade, g: 40, b: 90 } } });

imageProcessorContract('sharp', {
  processor: () => processor,
  picture: ({ width, height, shade }) => plain(width, height, shade).png().toBuffer(),
});

/** A well-formed PNG that promises whatever it likes. */
const png = (width: number, height: number): Buffer => {
  const crcTable = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  const crc = (bytes: Buffer): number => {
    let c = 0xffffffff;
    for (const byte of bytes) c = crcTable[(c ^ byte) & 0xff]! ^ (c >>> 8);
    return (c ^ 0xffffffff) >>> 0;
  };
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const framed = Buffer.alloc(body.length + 8);
    framed.writeUInt32BE(data.length, 0);
    body.copy(framed, 4);
    framed.writeUInt32BE(crc(body), body.length + 4);
    return framed;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(10_000))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

describe('untrusted pictures', () => {
  test.each(['jpeg', 'png', 'webp', 'gif', 'avif'] as const)('[G9] %s becomes WebP', async (format) => {
    const image = await processor.render(await plain(300, 200).toFormat(format).toBuffer(), options);
    const { content } = image._unsafeUnwrap().renditions[0]!;
    expect(await sharp(content).metadata()).toMatchObject({ format: 'webp', width: 100, height: 67 });
  });
  test.each([
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>')],
    ['TIFF', plain(10, 10).tiff().toBuffer()],
    ['PDF', Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF')],
  ])('[G9] %s is refused', async (_name, bytes) => {
    // Made by the library that must refuse it, so it is a valid picture for other programs.
    expect((await processor.render(await bytes, options))._unsafeUnwrapErr()).toEqual({
      kind: 'NotAPicture',
    });
  });
  test('[G9] a rotated photo is stored upright', async () => {
    const sideways = await plain(300, 200).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const image = (await processor.render(sideways, options))._unsafeUnwrap();
    expect([image.width, image.height]).toEqual([200, 300]);
    const { content, width, height } = image.renditions[0]!;
    expect([width, height]).toEqual([100, 150]);
    expect((await sharp(content).metadata()).orientation).toBeUndefined();
  });
  test('[G9] camera metadata is removed', async () => {
    const told = await plain(300, 200)
      .withExif({
        IFD0: { Copyright: 'Ann', Artist: 'Ann' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '55/1 45/1 0/1' },
      })
      .jpeg()
      .toBuffer();
    expect((await sharp(told).metadata()).exif).toBeDefined();
    const { content } = (await processor.render(told, options))._unsafeUnwrap().renditions[0]!;
    const { exif, xmp, iptc, icc } = await sharp(content).metadata();
    expect([exif, xmp, iptc, icc]).toEqual([undefined, undefined, undefined, undefined]);
  });
  test('[G9] a decompression bomb is refused by its header', async () => {
    expect((await processor.render(png(60_000, 60_000), options))._unsafeUnwrapErr()).toEqual({
      kind: 'TooManyPixels',
      pixelsMax: 1_000_000,
    });
  });
  test('[G9] a truncated picture is refused', async () => {
    const noise = Buffer.from(Array.from({ length: 300 * 200 * 3 }, (_, i) => (i * 7919) % 256));
    const whole = await sharp(noise, { raw: { width: 300, height: 200, channels: 3 } })
      .jpeg()
      .toBuffer();
    const half = whole.subarray(0, whole.length / 2);
    expect((await processor.render(half, options))._unsafeUnwrapErr()).toEqual({ kind: 'NotAPicture' });
    expect((await processor.render(whole, options)).isOk()).toBe(true);
  });
  test('[G9] an animation is stored as its first frame', async () => {
    const frames = Buffer.concat([Buffer.alloc(20 * 20 * 3, 0), Buffer.alloc(20 * 20 * 3, 255)]);
    const moving = await sharp(frames, { raw: { width: 20, height: 40, channels: 3, pageHeight: 20 } })
      .gif({ delay: [100, 100] })
      .toBuffer();
    const { width, height } = (await processor.render(moving, options))._unsafeUnwrap();
    expect([width, height]).toEqual([20, 20]);
  });
});

import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { feed, offer, read } from './testing/read-file.ts';
import { patched, renamed, zipOf } from './testing/zip-samples.ts';

const xml = feed(offer);
const zipped = await zipOf({ name: 'feed.xml', content: xml });
/** Offsets in an entry of the directory. */
const FLAGS = 8;
const METHOD = 10;
const CRC = 16;
const PACKED = 20;
const SIZE = 24;

const GOOD: readonly (readonly [string, Buffer])[] = [
  ['with one file', zipped],
  ['that is not compressed', await zipOf({ name: 'feed.xml', content: xml, stored: true })],
  [
    'with a folder and the notes of a system',
    await zipOf(
      { name: 'feeds/', content: '' },
      { name: 'feeds/any-name.bin', content: xml },
      { name: '__MACOSX/feeds/._any-name.bin', content: 'x' },
    ),
  ],
  ['with JSON', await zipOf({ name: 'a', content: '{"offers":[{"id":"1","title":"T"}]}' })],
  [
    'with windows-1251',
    await zipOf({
      name: 'a',
      content: Buffer.from(`<?xml version="1.0" encoding="windows-1251"?>${xml}`, 'latin1'),
    }),
  ],
];
const BAD: readonly (readonly [string, Buffer, RegExp])[] = [
  [
    'two files',
    await zipOf({ name: 'a', content: xml }, { name: 'b', content: xml }),
    /has 2 files \(a, b\)/,
  ],
  ['no file', await zipOf({ name: 'a/', content: '' }), /has no file/],
  ['a zip archive in it', await zipOf({ name: 'a.zip', content: zipped }), /archive in an archive/],
  ['a gzip file in it', await zipOf({ name: 'a.gz', content: gzipSync(xml) }), /archive in an archive/],
  ['a name that leaves the folder', renamed(zipped, 'feed.xml', '../a.xml'), /invalid relative path/],
  ['an absolute name', renamed(zipped, 'feed.xml', '/eed.xml'), /absolute path/],
  ['a password', patched(zipped, (write) => write(FLAGS, 1, 2)), /has a password/],
  ['an unknown way of packing', patched(zipped, (write) => write(METHOD, 99, 2)), /use deflate/],
  ['a smaller size than it has', patched(zipped, (write) => write(SIZE, 10, 4)), /too many bytes/],
  ['a larger size than it has', patched(zipped, (write) => write(SIZE, 10_000, 4)), /not enough bytes/],
  [
    'a larger packed size than it has',
    patched(zipped, (write) => write(PACKED, 1_000_000, 4)),
    /can't be read/,
  ],
  ['another checksum', patched(zipped, (write) => write(CRC, 7, 4)), /checksum/],
  ['no end', zipped.subarray(0, zipped.length - 10), /can't be read/],
  ['only a signature', zipped.subarray(0, 6), /can't be read/],
  [
    '101 files',
    await zipOf(...Array.from({ length: 101 }, (_, n) => ({ name: `${n}`, content: 'x' }))),
    /101 files/,
  ],
  ['an empty file', await zipOf({ name: 'a', content: '' }), /empty/],
  ['a text', await zipOf({ name: 'a', content: 'hello' }), /neither XML nor JSON/],
];

describe('a zip archive', () => {
  test.each(GOOD)('[P11] %s is read in chunks of any size', async (_name, file) => {
    for (const size of [1, 7, 100_000]) {
      const { offers, fatal } = await read(file, { size });
      expect(fatal).toBeUndefined();
      expect(offers).toMatchObject([{ id: '1', title: 'T' }]);
    }
  });
  test.each(BAD)('[P4] [P11] with %s is one clear error', async (_name, file, message) => {
    const { offers, fatal } = await read(file, { size: 64 });
    expect(offers).toEqual([]);
    expect(fatal?.message).toMatch(message);
  });
  test('[P4] a small archive of a large file is refused before the first offer', async () => {
    const blanks = Buffer.concat([
      Buffer.from('<feed>'),
      Buffer.alloc(64 << 20, ' '),
      Buffer.from(`${offer}</feed>`),
    ]);
    const bomb = await zipOf({ name: 'a', content: blanks });
    expect(bomb.length).toBeLessThan(200_000);
    expect(await read(bomb, { size: 65_536 })).toMatchObject({ offers: [], fatal: { code: 'TooLarge' } });
    const small = { ratioMax: 1e9, decodedBytesMax: 1 << 20 };
    expect(await read(bomb, { size: 65_536, limits: small })).toMatchObject({ fatal: { code: 'TooLarge' } });
  });
});

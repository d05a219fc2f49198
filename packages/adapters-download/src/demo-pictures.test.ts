import type { DownloadRequest, Downloader } from '@doska/core/kernel';
import { errAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { DEMO_PICTURES, demoPictureUrl, withDemoPictures } from './demo-pictures.ts';

const LIMITS: DownloadRequest['limits'] = {
  bytesMax: 100_000,
  decodedBytesMax: 100_000,
  totalMs: 1_000,
  connectMs: 1_000,
  idleMs: 1_000,
  redirectsMax: 1,
};
const asked: string[] = [];
const inner: Downloader = {
  fetch: ({ url }) => {
    asked.push(url);
    return errAsync({ kind: 'UnknownHost', host: url });
  },
};
const fetchOf = (url: string, limits = LIMITS) => withDemoPictures(inner).fetch({ url, limits });
const bytesOf = async (n: number): Promise<Buffer> => {
  const found = (await fetchOf(demoPictureUrl(n)))._unsafeUnwrap();
  if (found.kind !== 'content') throw new Error('no content');
  const chunks: Uint8Array[] = [];
  for await (const chunk of found.body) chunks.push(chunk);
  return Buffer.concat(chunks);
};

test('[C6] every demo picture is a PNG of its own, the same each time', async () => {
  const seen = new Set<string>();
  for (let n = 1; n <= DEMO_PICTURES; n++) {
    const bytes = await bytesOf(n);
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(await bytesOf(n)).toEqual(bytes);
    seen.add(bytes.toString('base64'));
  }
  expect(seen.size).toBe(DEMO_PICTURES);
  expect(asked).toEqual([]);
});
test.each([0, DEMO_PICTURES + 1])('[C6] there is no demo picture %i', async (n) => {
  expect((await fetchOf(demoPictureUrl(n)))._unsafeUnwrapErr()).toEqual({ kind: 'HttpStatus', status: 404 });
});
test('[C6] a demo picture keeps the limits of a download', async () => {
  const small = { ...LIMITS, bytesMax: 10 };
  expect((await fetchOf(demoPictureUrl(1), small))._unsafeUnwrapErr()).toEqual({
    kind: 'DownloadTooLarge',
    bytesMax: 10,
    of: 'body',
  });
});
test.each(['https://example.org/1.png', 'http://pictures.doska.invalid.example.org/1.png', 'no url'])(
  '[C6] %s is downloaded as always',
  async (url) => {
    asked.length = 0;
    expect((await fetchOf(url))._unsafeUnwrapErr().kind).toBe('UnknownHost');
    expect(asked).toEqual([url]);
  },
);

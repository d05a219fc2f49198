import { err, errAsync, ok, ResultAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { sleep, unavailable, type BlobHash, type Downloader } from '../../kernel/index.ts';
import {
  blobServer,
  inMemoryBlobStore,
  inMemoryDownloader,
  inMemoryGenericStorage,
  manualClock,
  memoryDatabase,
  memoryWeb,
  recordingTelemetry,
  seededRandom,
  type WebPage,
} from '../../kernel/testing.ts';
import type { Photo, PhotoOutcome, PhotoRequest } from '../domain/photo.ts';
import { memoryKey } from '../domain/remembered.ts';
import { pictureBytes } from '../testing/in-memory-images.ts';
import { openTestPhotos } from '../testing/open-test-photos.ts';
import {
  defaultPhotoSettings,
  makeHandlePhotoRequest,
  type HandlePhotoRequest,
} from './handle-photo-request.ts';

const DAY_MS = 86_400_000;
const GOOD = 'http://shop.example/good';
const MISSING = 'http://shop.example/missing';
const BROKEN = 'http://shop.example/broken';
const BUSY = 'http://shop.example/busy';
const pages: Readonly<Record<string, WebPage>> = {
  [GOOD]: { body: pictureBytes({ width: 2_000, height: 1_000 }) },
  [BROKEN]: { body: new TextEncoder().encode('<html>') },
  [BUSY]: { status: 503 },
};

const opened = (over: { downloader?: (right: Downloader) => Downloader } = {}) => {
  const time = manualClock(1_000_000);
  const { clock } = time;
  const web = memoryWeb(pages);
  const storage = inMemoryGenericStorage(memoryDatabase({ nowMs: clock.nowMs }));
  const { telemetry, counts } = recordingTelemetry();
  const downloader = (over.downloader ?? ((right) => right))(inMemoryDownloader(web));
  const made = openTestPhotos({
    storage,
    clock,
    downloader,
    blobs: inMemoryBlobStore(blobServer()),
    random: seededRandom(1),
    metrics: telemetry.metrics,
  });
  const { store: images, handling: needs } = made;
  return { ...made, counts, time, web, storage, images, needs, handle: asking(made.handle) };
};
/** A request as tests write it. */
const asking =
  (handle: HandlePhotoRequest) =>
  ({ offerId, urls }: Pick<PhotoRequest, 'offerId' | 'urls'>, signal?: AbortSignal) =>
    handle({ offerId, urls, released: [], atUs: 1 }, signal);
const outcomes = (photos: readonly Photo[]) =>
  photos.map(({ url, outcome }) => [url, outcome.kind === 'failed' ? outcome.code : 'ready']);
const imageOf = (photo: Photo | undefined): PhotoOutcome & { kind: 'ready' } => {
  if (photo?.outcome.kind !== 'ready') throw new Error('not ready');
  return photo.outcome;
};

describe('a host that does not answer', () => {
  const silent = (n: number): string => `http://silent.example/${n}`;
  /** Every attempt on the silent host takes five seconds. */
  const withSilentHost = () => {
    const attempts: string[] = [];
    let answers = false;
    const bench = opened({
      downloader: (right) => ({
        fetch: (request) => {
          if (!request.url.startsWith('http://silent.')) return right.fetch(request);
          attempts.push(request.url);
          return answers
            ? right.fetch({ ...request, url: GOOD })
            : new ResultAsync(
                sleep(bench.time.clock, 5_000).then(() =>
                  err({ kind: 'DownloadTimedOut' as const, phase: 'connect' as const, limitMs: 5_000 }),
                ),
              );
        },
      }),
    });
    return { ...bench, attempts, answerFromNowOn: () => (answers = true) };
  };
  const urls = Array.from({ length: 100 }, (_, n) => silent(n));

  test('[X3] a hundred pictures of it are answered in seconds, and the pictures of others behind them too', async () => {
    const { handle, time, attempts } = withSilentHost();
    const bad = handle({ offerId: 'bad', urls });
    const good = handle({ offerId: 'good', urls: [GOOD] });
    await time.advance(20_000);
    expect(outcomes((await good)._unsafeUnwrap().photos)).toEqual([[GOOD, 'ready']]);
    const { photos } = (await bad)._unsafeUnwrap();
    expect(photos).toHaveLength(100);
    expect(new Set(outcomes(photos).map(([, code]) => code))).toEqual(new Set(['unreachable']));
    expect(photos.every(({ outcome }) => outcome.kind === 'failed' && !outcome.permanent)).toBe(true);
    // Five failures, and those that were under way with the fifth.
    expect(attempts.length).toBeLessThanOrEqual(8);
  });
  test('[X3] after a pause it is asked again, and one answer makes it a host like others', async () => {
    const { handle, time, attempts, answerFromNowOn } = withSilentHost();
    const first = handle({ offerId: 'o', urls });
    await time.advance(20_000);
    await first;
    answerFromNowOn();
    const asked = attempts.length;
    expect(outcomes((await handle({ offerId: 'p', urls: [silent(200)] }))._unsafeUnwrap().photos)).toEqual([
      [silent(200), 'unreachable'],
    ]);
    expect(attempts).toHaveLength(asked);
    await time.advance(60_000);
    expect(outcomes((await handle({ offerId: 'q', urls: [silent(201)] }))._unsafeUnwrap().photos)).toEqual([
      [silent(201), 'ready'],
    ]);
    expect(attempts).toHaveLength(asked + 1);
  });
  test('[X3] a host that answers with errors is asked for every picture', async () => {
    const { handle, time } = opened();
    const busy = Array.from({ length: 10 }, (_, n) => `http://shop.example/missing-${n}`);
    const handling = handle({ offerId: 'o', urls: busy });
    await time.advance(20_000);
    expect(new Set(outcomes((await handling)._unsafeUnwrap().photos).map(([, code]) => code))).toEqual(
      new Set(['not-found']),
    );
  });
});

describe('a request', () => {
  test('[G9] every URL is answered once, in order', async () => {
    const { handle, time, counts } = opened();
    const handling = handle({ offerId: 'o', urls: [MISSING, GOOD, BROKEN, GOOD, BUSY] });
    await time.advance(60_000);
    const { offerId, photos } = (await handling)._unsafeUnwrap();
    expect(offerId).toBe('o');
    expect(outcomes(photos)).toEqual([
      [MISSING, 'not-found'],
      [GOOD, 'ready'],
      [BROKEN, 'not-a-picture'],
      [BUSY, 'refused'],
    ]);
    expect(Object.fromEntries(counts)).toMatchObject({
      'doska_photos_total ready': 1,
      'doska_photos_total failed': 3,
      'doska_photo_failures_total not-found': 1,
      'doska_photo_failures_total not-a-picture': 1,
      'doska_photo_failures_total refused': 1,
      doska_photo_fetched_bytes_total: pages[GOOD]!.body!.length + pages[BROKEN]!.body!.length,
    });
  });
  test('[G9] a picture that is ready is served in every size', async () => {
    const { handle, images } = opened();
    const { photos } = (await handle({ offerId: 'o', urls: [GOOD] }))._unsafeUnwrap();
    const image = imageOf(photos[0]);
    expect(image).toMatchObject({
      width: 2_000,
      height: 1_000,
      sizes: [
        { size: 160, width: 160, height: 80 },
        { size: 480, width: 480, height: 240 },
        { size: 1280, width: 1_280, height: 640 },
      ],
    });
    for (const { size, width, height } of image.sizes) {
      const found = (await images.find(image.imageId, size))._unsafeUnwrap();
      const chunks: Uint8Array[] = [];
      for await (const chunk of (await found.read())._unsafeUnwrap()) chunks.push(chunk);
      const content = Buffer.concat(chunks);
      expect(Uint8Array.from(content)).toEqual(pictureBytes({ width, height }));
      expect(found).toMatchObject({ contentType: 'text/picture', bytes: content.length });
    }
    expect((await images.find(image.imageId, 999))._unsafeUnwrapErr()).toEqual({ kind: 'UnknownPhoto' });
    expect((await images.find('0'.repeat(64) as BlobHash, 160))._unsafeUnwrapErr()).toEqual({
      kind: 'UnknownPhoto',
    });
  });
  test('[G9] the same picture has the same id, wherever it lies', async () => {
    const { handle, web } = opened();
    web.pages.set('http://other.example/copy', { body: pictureBytes({ width: 2_000, height: 1_000 }) });
    web.pages.set('http://other.example/another', { body: pictureBytes({ shade: 7 }) });
    const urls = [GOOD, 'http://other.example/copy', 'http://other.example/another'];
    const { photos } = (await handle({ offerId: 'o', urls }))._unsafeUnwrap();
    const [a, b, c] = photos.map((photo) => imageOf(photo).imageId);
    expect(a).toBe(b);
    expect(a).not.toBe(c);
  });
  test('[G9] asked again within days, it is answered without the web; then it is fetched anew', async () => {
    const { handle, web, time } = opened();
    const ask = async () => (await handle({ offerId: 'o', urls: [GOOD, MISSING] }))._unsafeUnwrap();
    const first = await ask();
    await time.advance(DAY_MS - 1);
    expect(await ask()).toEqual(first);
    expect(web.asked).toEqual([GOOD, MISSING]);
    await time.advance(1);
    expect(await ask()).toEqual(first);
    expect(web.asked).toEqual([GOOD, MISSING, MISSING]);
    await time.advance(6 * DAY_MS);
    expect(await ask()).toEqual(first);
    expect(web.asked.filter((url) => url === GOOD)).toHaveLength(2);
  });
  test('[G9] asked twice at the same time, it is fetched once', async () => {
    const { handle, web } = opened();
    const [first, second] = await Promise.all(['a', 'b'].map((offerId) => handle({ offerId, urls: [GOOD] })));
    expect(second!._unsafeUnwrap().photos).toEqual(first!._unsafeUnwrap().photos);
    expect(web.asked).toEqual([GOOD]);
  });
  test('[G9] an aborted request does not abort others', async () => {
    const { handle } = opened();
    const stop = new AbortController();
    const broken = handle({ offerId: 'a', urls: [GOOD] }, stop.signal);
    const other = handle({ offerId: 'b', urls: [GOOD] });
    stop.abort();
    expect((await broken).isErr()).toBe(true);
    expect((await other)._unsafeUnwrap().photos[0]!.outcome.kind).toBe('ready');
  });
  test('[G9] what is remembered but no longer stored is fetched again', async () => {
    const { handle, web, images, storage } = opened();
    const first = (await handle({ offerId: 'o', urls: [GOOD] }))._unsafeUnwrap();
    const { imageId } = imageOf(first.photos[0]);
    await images.deleteManifest(imageId);
    expect((await handle({ offerId: 'o', urls: [GOOD] }))._unsafeUnwrap()).toEqual(first);
    expect(web.asked).toEqual([GOOD, GOOD]);
    expect((await images.has(imageId))._unsafeUnwrap()).toBe(true);
    expect((await storage.list('photos', { limit: 10 }))._unsafeUnwrap()).toHaveLength(1);
  });
});

describe('failures', () => {
  test('[G9] one for good is told at once', async () => {
    const { handle, web, time } = opened();
    const { photos } = (await handle({ offerId: 'o', urls: [MISSING, BROKEN] }))._unsafeUnwrap();
    expect(photos.map(({ outcome }) => outcome)).toMatchObject([{ permanent: true }, { permanent: true }]);
    expect(web.asked).toEqual([MISSING, BROKEN]);
    expect(time.pending()).toBe(0);
  });
  test('[G9] one in passing is tried again, with pauses, and then told; the next request tries anew', async () => {
    const { handle, web, time } = opened();
    const ask = async () => {
      const handling = handle({ offerId: 'o', urls: [BUSY] });
      await time.advance(60_000);
      return (await handling)._unsafeUnwrap().photos[0]!.outcome;
    };
    expect(await ask()).toMatchObject({ kind: 'failed', code: 'refused', permanent: false });
    expect(web.asked).toHaveLength(3);
    web.pages.set(BUSY, pages[GOOD]!);
    expect((await ask()).kind).toBe('ready');
  });
  test('[G9] one in passing that passes is none', async () => {
    const { handle, web, time } = opened();
    const handling = handle({ offerId: 'o', urls: [BUSY] });
    await time.advance(0);
    web.pages.set(BUSY, pages[GOOD]!);
    await time.advance(60_000);
    expect((await handling)._unsafeUnwrap().photos[0]!.outcome.kind).toBe('ready');
    expect(web.asked).toHaveLength(2);
  });
  test('[G9] a failure of our own storage is not reported as a failure of the photo', async () => {
    const { needs, memory } = opened();
    const down = () => errAsync(unavailable('disk'));
    const noBlobs = asking(makeHandlePhotoRequest({ ...needs, images: { ...needs.images, put: down } }));
    expect((await noBlobs({ offerId: 'o', urls: [GOOD] }))._unsafeUnwrapErr()).toMatchObject({
      what: 'disk',
    });
    expect(await memory.recall(GOOD)).toEqual(ok(undefined));
    const noMemory = asking(makeHandlePhotoRequest({ ...needs, memory: { ...memory, recall: down } }));
    expect((await noMemory({ offerId: 'o', urls: [GOOD] }))._unsafeUnwrapErr().kind).toBe('Unavailable');
  });
  test('[G9] what we broke off ourselves is no answer', async () => {
    const { handle, memory } = opened();
    const answer = await handle({ offerId: 'o', urls: [GOOD] }, AbortSignal.abort());
    expect(answer._unsafeUnwrapErr().kind).toBe('Unavailable');
    expect(await memory.recall(GOOD)).toEqual(ok(undefined));
  });
});

describe('bounds', () => {
  test('[G9] a bounded number of pictures is in progress at a time, over all requests', async () => {
    let now = 0;
    let most = 0;
    const { needs, web } = opened({
      downloader: (right) => ({
        fetch: (request) => {
          most = Math.max(most, (now += 1));
          const work = Promise.resolve().then(() => right.fetch(request));
          return new ResultAsync(work.finally(() => (now -= 1)));
        },
      }),
    });
    const urls = (from: number) => Array.from({ length: 10 }, (_, i) => `http://shop.example/${from + i}`);
    for (const url of [...urls(0), ...urls(10)]) web.pages.set(url, pages[GOOD]!);
    const handle = asking(
      makeHandlePhotoRequest({ ...needs, settings: { ...defaultPhotoSettings, parallelMax: 3 } }),
    );
    const answers = await Promise.all(
      [0, 10].map((from) => handle({ offerId: `o${from}`, urls: urls(from) })),
    );
    expect(answers.every((answer) => answer.isOk())).toBe(true);
    expect(most).toBe(3);
  });
  test('[G9] entries that are too old to be used are deleted', async () => {
    const { handle, memory, storage, time } = opened();
    await handle({ offerId: 'o', urls: [GOOD, MISSING] });
    await storage.put('photos', 'garbage', Uint8Array.of(1), 0);
    const signal = new AbortController().signal;
    expect(await memory.sweep(signal)).toEqual(ok(1));
    await time.advance(DAY_MS);
    expect(await memory.sweep(signal)).toEqual(ok(1));
    const kept = (await storage.list('photos', { limit: 10 }))._unsafeUnwrap();
    expect(kept.map(({ key }) => key)).toEqual([memoryKey(GOOD)]);
  });
  test('[G9] two URLs with one key are told apart', async () => {
    const { memory, storage } = opened();
    const photo: Photo = {
      url: GOOD,
      outcome: { kind: 'failed', code: 'not-found', message: '', permanent: true },
    };
    await memory.remember(photo);
    expect(await memory.recall(GOOD)).toEqual(ok(photo));
    const [stored] = (await storage.get('photos', [memoryKey(GOOD)]))._unsafeUnwrap();
    await storage.put('photos', memoryKey(MISSING), stored!.value, 0);
    expect(await memory.recall(MISSING)).toEqual(ok(undefined));
  });
});

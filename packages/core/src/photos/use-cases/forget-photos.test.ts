import { errAsync, ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { SETTLE_MS, unavailable, type BlobStore } from '../../kernel/index.ts';
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
} from '../../kernel/testing.ts';
import type { ImageId, PhotoRequest, PhotoResult } from '../domain/photo.ts';
import { pictureBytes } from '../testing/in-memory-images.ts';
import { openTestPhotos } from '../testing/open-test-photos.ts';

const GRACE_MS = 86_400_000;
const A = 'http://shop.example/a';
const B = 'http://shop.example/b';
/** The same picture as A, larger: the two share their small renditions. */
const LARGER_A = 'http://shop.example/larger-a';
const signal = new AbortController().signal;

const opened = (blobsOf: (right: BlobStore) => BlobStore = (right) => right) => {
  const time = manualClock(1_000_000);
  const { clock } = time;
  const web = memoryWeb({
    [A]: { body: pictureBytes({ width: 1_000, height: 500 }) },
    [LARGER_A]: { body: pictureBytes({ width: 2_000, height: 1_000 }) },
    [B]: { body: pictureBytes({ shade: 7 }) },
  });
  const db = memoryDatabase({ nowMs: clock.nowMs });
  const server = blobServer();
  const { telemetry, counts } = recordingTelemetry();
  const storage = inMemoryGenericStorage(db);
  const made = openTestPhotos({
    storage,
    clock,
    random: seededRandom(1),
    downloader: inMemoryDownloader(web),
    blobs: blobsOf(inMemoryBlobStore(server)),
    metrics: telemetry.metrics,
    graceMs: GRACE_MS,
    settleMs: SETTLE_MS,
  });
  let atUs = 0;
  const told = async (request: Partial<PhotoRequest> & { readonly offerId: string }): Promise<PhotoResult> =>
    (await made.handle({ urls: [], released: [], atUs: (atUs += 1), ...request }))._unsafeUnwrap();
  return {
    ...made,
    time,
    web,
    storage,
    counts,
    told,
    names: async (offerId: string, ...urls: readonly string[]): Promise<ImageId[]> =>
      (await told({ offerId, urls })).photos.flatMap(({ outcome }) =>
        outcome.kind === 'ready' ? [outcome.imageId] : [],
      ),
    releases: (offerId: string, ...released: readonly string[]) => told({ offerId, released }),
    blobs: () => [...server.areas.values()].reduce((sum, area) => sum + area.size, 0),
    rows: () =>
      [...db.tables].flatMap(([table, { rows }]) => [...rows.keys()].map((key) => `${table} ${key}`)),
    forgetting: async () => (await made.forget(signal))._unsafeUnwrap(),
    /** All that a few runs of the job, with the pauses they need, take away. */
    later: async () => {
      await time.advance(GRACE_MS + GRACE_MS / 24);
      for (let run = 0; run < 4; run++) {
        (await made.forget(signal))._unsafeUnwrap();
        await time.advance(SETTLE_MS);
      }
    },
  };
};

describe('a picture that no offer names', () => {
  test('[G9] is deleted after the grace time, and nothing is left of it', async () => {
    const { names, releases, later, forgetting, time, blobs, rows, store, counts } = opened();
    const [image] = await names('o', A);
    await releases('o', A);
    await time.advance(GRACE_MS - 1);
    await forgetting();
    expect(blobs()).toBe(4);
    await later();
    expect(blobs()).toBe(0);
    expect(rows().filter((row) => !row.startsWith('storage/photos '))).toEqual([]);
    expect((await store.find(image!, 160))._unsafeUnwrapErr().kind).toBe('UnknownPhoto');
    expect(counts.get('doska_photos_forgotten_total')).toBe(1);
  });
  test('[G9] stays while another offer names it', async () => {
    const { names, releases, later, blobs, store } = opened();
    const [image] = await names('o', A);
    await names('p', A);
    await releases('o', A);
    await later();
    expect((await store.find(image!, 1280)).isOk()).toBe(true);
    await releases('p', A);
    await later();
    expect(blobs()).toBe(0);
  });
  test('[G9] takes no rendition along that another picture shares', async () => {
    const { names, releases, later, blobs, store } = opened();
    await names('o', A);
    const [larger] = await names('p', LARGER_A);
    expect(blobs()).toBe(2 + 4);
    await releases('o', A);
    await later();
    expect(blobs()).toBe(1 + 3);
    for (const size of [160, 480, 1280])
      expect((await (await store.find(larger!, size))._unsafeUnwrap().read()).isOk()).toBe(true);
    await releases('p', LARGER_A);
    await later();
    expect(blobs()).toBe(0);
  });
  test('[G9] stays when it is named again before its time', async () => {
    const { names, releases, later, blobs } = opened();
    await names('o', A);
    await releases('o', A);
    await names('o', A);
    await later();
    expect(blobs()).toBe(4);
  });
  test('[G9] is fetched again when it is named afterwards, though it is remembered', async () => {
    const { names, releases, later, blobs, web, told } = opened();
    const first = await names('o', A);
    await releases('o', A);
    await later();
    expect(await names('o', A)).toEqual(first);
    expect(web.asked).toEqual([A, A]);
    expect(blobs()).toBe(4);
    expect((await told({ offerId: 'p', urls: [A] })).photos[0]?.outcome.kind).toBe('ready');
    expect(web.asked).toHaveLength(2);
  });
  test('[G9] that an address no longer shows is let go, the new one stays', async () => {
    const { names, releases, later, blobs, web, time } = opened();
    const [before] = await names('o', A);
    web.pages.set(A, { body: pictureBytes({ shade: 9 }) });
    await time.advance(7 * GRACE_MS);
    // Asked again by the same offer: a redelivery long after.
    const [after] = await names('o', A);
    expect(after).not.toBe(before);
    await later();
    expect(blobs()).toBe(4);
    await releases('o', A);
    await later();
    expect(blobs()).toBe(0);
  });
});

describe('requests that come twice, or late', () => {
  test('[G9] a repeated release does not affect other offers', async () => {
    const { names, told, later, blobs } = opened();
    await names('o', A);
    await names('p', A);
    const release = { offerId: 'o', released: [A], atUs: 10 };
    await told(release);
    await told(release);
    await later();
    expect(blobs()).toBe(4);
  });
  test('[G9] a release after the same offer named the picture again drops nothing', async () => {
    const { told, later, blobs } = opened();
    await told({ offerId: 'o', urls: [A], atUs: 10 });
    await told({ offerId: 'o', released: [A], atUs: 20 });
    await told({ offerId: 'o', urls: [A], atUs: 30 });
    await told({ offerId: 'o', released: [A], atUs: 20 });
    await later();
    expect(blobs()).toBe(4);
  });
  test('[G9] a request that is over names nothing and is not answered; what still holds in it is', async () => {
    const { told, later, blobs } = opened();
    const first = { offerId: 'o', urls: [A, B], atUs: 10 };
    await told(first);
    await told({ offerId: 'o', released: [A], atUs: 20 });
    expect((await told(first)).photos.map(({ url }) => url)).toEqual([B]);
    await later();
    expect(blobs()).toBe(4);
  });
  test('[G9] a late request whose picture can be had by now holds it', async () => {
    const { told, later, blobs, web, time } = opened();
    const page = web.pages.get(A)!;
    web.pages.delete(A);
    const first = { offerId: 'o', urls: [A], atUs: 10 };
    expect((await told(first)).photos[0]?.outcome.kind).toBe('failed');
    await told({ offerId: 'o', urls: [B], atUs: 20 });
    web.pages.set(A, page);
    await time.advance(GRACE_MS);
    expect((await told(first)).photos[0]?.outcome.kind).toBe('ready');
    await later();
    expect(blobs()).toBe(8);
  });
});

describe('an erased seller', () => {
  test('[G16] lets go of everything, and nothing remembers its addresses', async () => {
    const { names, told, later, blobs, rows } = opened();
    await names('o', A, B, 'http://shop.example/missing');
    await told({ offerId: 'o', released: 'all' });
    expect(rows().filter((row) => row.startsWith('storage/photos '))).toEqual([]);
    await later();
    expect(blobs()).toBe(0);
    expect(rows()).toEqual([]);
  });
});

describe('what goes wrong in between', () => {
  test('[G9] a request that meets a picture on its way out waits, and then fetches it again', async () => {
    const { names, releases, forgetting, handle, time, blobs, web } = opened();
    await names('o', A);
    await releases('o', A);
    await time.advance(GRACE_MS + GRACE_MS / 24);
    await forgetting();
    const again = { offerId: 'o', urls: [A], released: [], atUs: 100 };
    expect((await handle(again))._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable', retryable: true });
    await forgetting();
    await time.advance(SETTLE_MS);
    expect((await handle(again))._unsafeUnwrap().photos[0]?.outcome.kind).toBe('ready');
    for (let run = 0; run < 3; run++) {
      await forgetting();
      await time.advance(SETTLE_MS);
    }
    expect(blobs()).toBe(4);
    expect(web.asked).toEqual([A, A]);
  });
  test('[G9] a run that died half-way is finished by a later one, not by one that comes too soon', async () => {
    let broken = true;
    let deletes = 0;
    const { names, releases, forget, forgetting, later, time, blobs } = opened((right) => ({
      ...right,
      delete: (blob) => {
        deletes += 1;
        return broken ? errAsync(unavailable('disk')) : right.delete(blob);
      },
    }));
    await names('o', A);
    await releases('o', A);
    await time.advance(GRACE_MS + GRACE_MS / 24);
    expect((await forget(signal)).isErr()).toBe(true);
    broken = false;
    await forgetting();
    expect([deletes, blobs()]).toEqual([1, 4]);
    await later();
    expect(blobs()).toBe(0);
  });
  test('[G9] a stale hold keeps nothing', async () => {
    const { names, releases, images, later, blobs } = opened();
    const [image] = await names('o', A);
    await releases('o', A);
    // What a process that was paused in the middle of an old request does when it wakes.
    expect(await images.hold(image!, 'o/0123456789abcdef/1')).toEqual(ok('kept'));
    await later();
    expect(blobs()).toBe(0);
  });
});

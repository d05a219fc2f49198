import { okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { sleep } from '../../kernel/index.ts';
import {
  blobServer,
  FAULTS,
  hunt,
  inMemoryBlobStore,
  inMemoryDownloader,
  inMemoryGenericStorage,
  memoryDatabase,
  memoryWeb,
  PORTFOLIO,
  simulationTest,
  type BlobServer,
  type Env,
  type Scenario,
} from '../../kernel/testing.ts';
import type { PhotoRequest } from '../domain/photo.ts';
import { defaultPhotoSettings } from '../use-cases/handle-photo-request.ts';
import { pictureBytes } from './in-memory-images.ts';
import type { PhotoParts } from '../open-photos.ts';
import { openTestPhotos, type TestPhotos } from './open-test-photos.ts';

/** Longer than any pause of a process that handles a request: what it stores later is not looked at. */
const GRACE_MS = 200_000;
/** Twice what a request of the simulation may be late, and more. */
const SETTLE_MS = 120_000;
const SIZES = [100, 400] as const;
/** The first two share a rendition. */
const PICTURES = [
  { url: 'http://shop.example/small', width: 200, height: 100 },
  { url: 'http://shop.example/large', width: 300, height: 150 },
  { url: 'http://shop.example/other', width: 300, height: 300 },
] as const;
const URLS: readonly string[] = PICTURES.map(({ url }) => url);

/** What an offer says over its life, and how much of it was handled for good. */
type Offer = { readonly requests: readonly PhotoRequest[]; done: number };
const offerOf = (offerId: string, below: (n: number) => number): Offer => {
  let named: readonly string[] = [];
  const requests = Array.from({ length: 1 + below(4) }, (_, index): PhotoRequest => {
    const before = named;
    named = URLS.filter(() => below(2) === 1);
    const urls = named.filter((url) => !before.includes(url));
    const released = before.filter((url) => !named.includes(url));
    return { offerId, urls, released, atUs: index + 1 };
  });
  if (below(2) === 1) {
    const last = { offerId, urls: [], released: 'all' as const, atUs: requests.length + 1 };
    return { requests: [...requests, last], done: 0 };
  }
  return { requests, done: 0 };
};
const namedAfter = ({ requests }: Offer, done: number): readonly string[] => {
  const named = new Set<string>();
  for (const { urls, released } of requests.slice(0, done)) {
    if (released === 'all') named.clear();
    else for (const url of released) named.delete(url);
    for (const url of urls) named.add(url);
  }
  return [...named];
};

/** Hashes of everything that the picture at a URL is made of. */
const blobsOf = (photos: TestPhotos, url: string): readonly string[] => {
  const { width, height } = PICTURES.find((one) => one.url === url)!;
  const renditions = SIZES.map((size) => {
    const scale = Math.min(1, size / width);
    const small = { width: Math.round(width * scale), height: Math.round(height * scale) };
    return { size, ...small, content: pictureBytes({ ...small, shade: 0 }) };
  });
  const { outcome, parts } = photos.store.prepare({ width, height, renditions }, 'text/picture');
  return [`photo-manifests ${outcome.imageId}`, ...[...parts.keys()].map((part) => `photos ${part}`)];
};
const stored = ({ areas }: BlobServer): readonly string[] =>
  [...areas].flatMap(([area, blobs]) => [...blobs.keys()].map((hash) => `${area} ${hash}`)).sort();

type Options = { readonly bugs?: PhotoParts; readonly graceMs?: number; readonly settleMs?: number };
const photoScenario = ({ bugs = {}, graceMs = GRACE_MS, settleMs = SETTLE_MS }: Options = {}): Scenario => ({
  faults: FAULTS,
  wildSteps: 500,
  calmSteps: 6_000,
  build: (world) => {
    const { nowMs } = world;
    const db = memoryDatabase({ nowMs });
    const server = blobServer();
    const offers = [0, 1].map((n) => offerOf(`o${n}`, (most) => world.below(most)));
    const photosOf = ({ io, clock, random }: Env): TestPhotos =>
      openTestPhotos({
        clock,
        random,
        storage: inMemoryGenericStorage(db, io),
        blobs: inMemoryBlobStore(server, io),
        downloader: inMemoryDownloader(
          memoryWeb(
            Object.fromEntries(PICTURES.map(({ url, ...size }) => [url, { body: pictureBytes(size) }])),
          ),
        ),
        graceMs,
        settleMs,
        bugs,
        settings: { ...defaultPhotoSettings, render: { sizes: SIZES, pixelsMax: 1e9 }, parallelMax: 1 },
      });
    // Two handle the same requests: one of them is always a zombie.
    for (const name of ['handler0', 'handler1'])
      world.process(name, async (env) => {
        const photos = photosOf(env);
        for (;;) {
          for (const offer of offers) {
            const at = offer.done;
            const request = offer.requests[at];
            if (!request) continue;
            const handled = await photos.handle(request);
            if (handled.isOk()) offer.done = Math.max(offer.done, at + 1);
          }
          await sleep(env.clock, 20_000);
        }
      });
    for (const name of ['forgetter0', 'forgetter1'])
      world.process(name, async (env) => {
        const photos = photosOf(env);
        for (;;) {
          await photos.forget(new AbortController().signal);
          await sleep(env.clock, 15_000);
        }
      });
    const reference = openTestPhotos({
      storage: inMemoryGenericStorage(db),
      blobs: inMemoryBlobStore(blobServer()),
      clock: { nowMs, after: () => () => {} },
      random: { below: () => 0 },
      downloader: inMemoryDownloader(memoryWeb({})),
    });
    const madeOf = new Map(URLS.map((url) => [url, blobsOf(reference, url)]));
    const wanted = (): readonly string[] =>
      [...new Set(offers.flatMap((offer) => namedAfter(offer, offer.done)))].flatMap((url) =>
        madeOf.get(url)!,
      );
    let seen = '';
    return {
      law: () => {
        // What is being said at the moment may be true already.
        const sure = new Set(
          offers.flatMap((offer) =>
            namedAfter(offer, offer.done).filter((url) => namedAfter(offer, offer.done + 1).includes(url)),
          ),
        );
        const there = stored(server);
        const now = `${[...sure].join()} ${there.join()}`;
        if (now === seen) return undefined;
        seen = now;
        const known = new Set(there);
        const lost = [...sure].flatMap((url) => madeOf.get(url)!).find((blob) => !known.has(blob));
        return lost && `lost: ${lost}`;
      },
      done: () =>
        offers.every(({ done, requests }) => done === requests.length) &&
        stored(server).join() === [...new Set(wanted())].sort().join(),
    };
  },
});

simulationTest(
  '[G9] [G16] every named picture is there in every size; in the end no other picture is',
  photoScenario(),
  { seeds: 300, budgetMs: 4_000 },
);

test.each<{ readonly bug: string; readonly options: Options; readonly law: RegExp }>([
  {
    bug: 'a picture that is answered before it is held',
    options: {
      bugs: {
        keepingOf: (right) => ({ ...right, hold: (thing, _holder, parts) => right.hold(thing, 'x', parts) }),
      },
    },
    law: /^lost/,
  },
  {
    bug: 'a late request that undoes what a newer one said',
    options: {
      bugs: {
        usesOf: (right) => {
          let last = 1_000;
          return { ...right, begin: (request) => right.begin({ ...request, atUs: (last += 1) }) };
        },
      },
    },
    law: /^(lost|liveness)/,
  },
  {
    bug: 'a deletion that does not wait',
    options: {
      graceMs: 10_000,
      settleMs: 2,
      bugs: {
        keepingOf: (right) => ({
          ...right,
          forget: (thing, erasing) =>
            right.forget(thing, { ...erasing, erase: (parts) => erasing.erase(parts, () => true) }),
        }),
      },
    },
    law: /^lost/,
  },
  {
    bug: 'a picture that is let go without a note',
    options: { bugs: { unusedOf: (right) => ({ ...right, note: () => okAsync(undefined) }) } },
    law: /^liveness/,
  },
])('[B5] [G9] the laws find $bug', { timeout: 60_000 }, async ({ options, law }) => {
  const { found } = await hunt(photoScenario(options), PORTFOLIO, { count: 1_000, budgetMs: 50_000 });
  expect(found?.outcome.failure).toMatch(law);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { deadLetterCodec, photoCodecs } from '@doska/adapters-proto';
import { loadConfig, startHost, Tokens, type Environment, type RunningHost } from '@doska/app-composition';
import { contexts } from '@doska/app-wiring';
import { deadTopicOf, type Delivered } from '@doska/core/kernel';
import { consumerFuzz, eventually } from '@doska/core/kernel/testing';
import {
  PHOTO_REQUESTS,
  PHOTO_RESULTS,
  type PhotoOutcome,
  type PhotoRequest,
  type PhotoResult,
} from '@doska/core/photos';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { photos } from './index.ts';
import { pictureServer, type PictureServer } from './testing/picture-server.ts';

const SECRET = 'only-for-this-test-and-long-enough';
const dataDir = mkdtempSync(join(tmpdir(), 'doska-photos-'));
let database: FreshDatabase;
let web: PictureServer;
let host: RunningHost;

const start = async (more: Environment = {}): Promise<RunningHost> => {
  const { config } = loadConfig(
    {
      DOSKA_PROFILE: 'postgres',
      DATABASE_URL: database.url,
      DOSKA_TOKEN_KEY: SECRET,
      DOSKA_SIGNING_SECRET: SECRET,
      DOSKA_DATA_DIR: dataDir,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_PARTITIONS: '1',
      DOSKA_LOG_LEVEL: 'error',
      DOSKA_LOG_FORMAT: 'json',
      DOSKA_OPEN_METRICS: 'yes',
      DOSKA_DOWNLOAD_ALLOW: '127.0.0.1',
      DOSKA_PHOTOS_ATTEMPTS: '2',
      ...more,
    },
    contexts,
  )._unsafeUnwrap();
  return (await startHost('photos', [photos], config))._unsafeUnwrap();
};
const log = () => host.container.get(Tokens.log);
const ask = async (offerId: string, ...paths: readonly string[]): Promise<void> => {
  const urls = paths.map((path) => web.url(path));
  const value = photoCodecs.request.encode({ offerId, urls, released: [], atUs: 1 });
  (await log().publish([{ topic: PHOTO_REQUESTS, key: offerId, value }]))._unsafeUnwrap();
};
/** All that a topic holds. */
const held = async (topic: string): Promise<readonly Delivered[]> => {
  const reader = (await log().read(topic, 0, 'earliest'))._unsafeUnwrap();
  const records = (await reader.next({ recordsMax: 1_000, waitMs: 50 }))._unsafeUnwrap();
  await reader.close();
  return records;
};
const answersTo = async (offerId: string): Promise<readonly PhotoResult[]> =>
  (await held(PHOTO_RESULTS))
    .filter(({ key }) => key === offerId)
    .map(({ value }) => photoCodecs.result.decode(value)._unsafeUnwrap());
const answered = (offerId: string, times = 1): Promise<readonly PhotoResult[]> =>
  eventually(async () => {
    const answers = await answersTo(offerId);
    expect(answers).toHaveLength(times);
    return answers;
  });
const readyIn = (result: PhotoResult | undefined, index = 0): PhotoOutcome & { kind: 'ready' } => {
  const outcome = result?.photos[index]?.outcome;
  if (outcome?.kind !== 'ready') throw new Error(`not ready: ${JSON.stringify(outcome)}`);
  return outcome;
};
const get = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${host.run.httpUrl}${path}`, init);

beforeAll(async () => {
  const picture = await sharp({ create: { width: 2_000, height: 1_000, channels: 3, background: 'teal' } })
    .jpeg()
    .withMetadata({ orientation: 6 })
    .toBuffer();
  web = await pictureServer((request, response) => {
    if (request.url?.startsWith('/picture')) return void response.end(picture);
    if (request.url === '/inside')
      return void response.writeHead(302, { location: 'http://10.0.0.1/' }).end();
    if (request.url === '/page') return void response.end('<html>');
    if (request.url === '/busy') return void response.writeHead(503).end();
    response.writeHead(404).end();
  });
  database = await freshDatabase();
  host = await start();
});
afterAll(async () => {
  await host.stop();
  await database.drop();
  web.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('photos', () => {
  test('[G9] a request is answered for every URL', async () => {
    await ask('offer-1', '/picture', '/missing', '/page', '/inside', '/busy');
    const [answer] = await answered('offer-1');
    expect(
      answer!.photos.map(({ outcome }) => (outcome.kind === 'failed' ? outcome.code : outcome.kind)),
    ).toEqual(['ready', 'not-found', 'not-a-picture', 'forbidden-address', 'refused']);
    expect(web.asked.filter((path) => path === '/busy')).toHaveLength(2);
    expect(readyIn(answer)).toMatchObject({
      width: 1_000,
      height: 2_000,
      sizes: [
        { size: 160, width: 160, height: 320 },
        { size: 480, width: 480, height: 960 },
        { size: 1280, width: 1_000, height: 2_000 },
      ],
    });
  });
  test('[G9] what was done is counted', async () => {
    const metrics = await (await get('/metrics')).text();
    for (const line of [
      'doska_photos_total{outcome="ready"} 1',
      'doska_photos_total{outcome="failed"} 4',
      'doska_photo_failures_total{reason="forbidden-address"} 1',
    ])
      expect(metrics.split('\n')).toContain(line);
    for (const name of ['fetched', 'stored'])
      expect(metrics).toMatch(new RegExp(`^doska_photo_${name}_bytes_total [1-9]`, 'm'));
  });
  test('[G9] its photos are served in every size and may be cached without limit', async () => {
    const { imageId, sizes } = readyIn((await answered('offer-1'))[0]);
    for (const { size, width, height } of sizes) {
      const response = await get(`/photos/${imageId}/${size}`);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'image/webp',
        'cache-control': 'public, max-age=31536000, s-maxage=604800, immutable',
        'x-content-type-options': 'nosniff',
      });
      const content = Buffer.from(await response.arrayBuffer());
      expect(response.headers.get('content-length')).toBe(String(content.length));
      expect(await sharp(content).metadata()).toMatchObject({ format: 'webp', width, height });
    }
  });
  test('[G9] who has a picture is not sent it again; HEAD tells of it only', async () => {
    const { imageId } = readyIn((await answered('offer-1'))[0]);
    const path = `/photos/${imageId}/160`;
    const head = await get(path, { method: 'HEAD' });
    const etag = head.headers.get('etag')!;
    expect(head.status).toBe(200);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
    expect((await head.arrayBuffer()).byteLength).toBe(0);
    for (const condition of [etag, `"x", W/${etag}`, '*']) {
      const known = await get(path, { headers: { 'if-none-match': condition } });
      expect([known.status, known.headers.get('etag')]).toEqual([304, etag]);
    }
    expect((await get(path, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
  });
  test.each(['/photos/abc/160', `/photos/${'0'.repeat(64)}/160`, '/photos/..%2f..%2fsecret/160'])(
    '[G9] %s is not found',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(response.headers.get('cache-control')).toBe('no-store');
    },
  );
  test.each(['999', '0', '160.webp', '-160', '1e2'])('[G9] size %s is not found', async (size) => {
    const { imageId } = readyIn((await answered('offer-1'))[0]);
    expect((await get(`/photos/${imageId}/${size}`)).status).toBe(404);
  });
  test('[G9] the same request twice is answered twice alike, and fetched once', async () => {
    await ask('offer-2', '/picture-2', '/missing-2');
    await ask('offer-2', '/picture-2', '/missing-2');
    const [first, second] = await answered('offer-2', 2);
    expect(second).toEqual(first);
    expect(web.asked.filter((path) => /-2$/.test(path)).toSorted()).toEqual(['/missing-2', '/picture-2']);
    expect(readyIn(first).imageId).toBe(readyIn((await answered('offer-1'))[0]).imageId);
  });
  test('[G9] a process that died after its answer, before its position moved, answers the same again', async () => {
    await ask('offer-3', '/picture-3');
    const [first] = await answered('offer-3');
    await host.stop();
    await database.pool.query(`update log_position set pos = 0 where grp = 'photos'`);
    host = await start();
    const [, second] = await answered('offer-3', 2);
    expect(second).toEqual(first);
    expect(web.asked.filter((path) => path === '/picture-3')).toHaveLength(1);
  });
  test('[G9] a malformed request is put aside, and those behind it are answered', async () => {
    const value = Buffer.from('not a request');
    (await log().publish([{ topic: PHOTO_REQUESTS, key: 'offer-4', value }]))._unsafeUnwrap();
    await ask('offer-5', '/picture');
    await answered('offer-5');
    const letters = (await held(deadTopicOf(PHOTO_REQUESTS))).map(({ value }) =>
      deadLetterCodec.decode(value)._unsafeUnwrap(),
    );
    expect(letters).toMatchObject([{ key: 'offer-4', reason: 'Malformed: PhotoRequest (version)' }]);
  });
});

describe('photos for strangers', () => {
  test('[G9] so many a minute and address; then they wait', async () => {
    await host.stop();
    host = await start({ DOSKA_PHOTOS_RATE_PER_MINUTE: '2' });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await get(`/photos/${'0'.repeat(64)}/160`)).status);
    expect(statuses).toEqual([404, 404, 429]);
  });
  test('[G9] none, where they are closed', async () => {
    await host.stop();
    host = await start({ DOSKA_PHOTOS_RATE_PER_MINUTE: '0' });
    expect((await get(`/photos/${'0'.repeat(64)}/160`)).status).toBe(401);
  });

  test('[X1] [X3] photo-requests survives mutated and hostile records, and answers the good ones behind them', async () => {
    const texts = ['', 'x'.repeat(3_000), 'a\u0000b', ' ', 'a\nb'];
    const request: PhotoRequest = {
      offerId: 'fuzz',
      urls: [web.url('/picture')],
      released: [web.url('/other')],
      atUs: 1,
    };
    const samples: PhotoRequest[] = [
      request,
      ...texts.map((offerId) => ({ ...request, offerId })),
      ...texts.map((url) => ({ ...request, urls: [url] })),
      ...texts.map((url) => ({ ...request, urls: [], released: [url] })),
      { ...request, atUs: 2 ** 62 },
      { ...request, released: 'all' },
    ];
    const good = Array.from({ length: 5 }, (_, n) => ({
      topic: PHOTO_REQUESTS,
      key: `good-${n}`,
      value: photoCodecs.request.encode({ ...request, offerId: `good-${n}`, urls: [web.url('/picture')] }),
    }));
    await consumerFuzz({
      log: log(),
      group: 'photos',
      topic: PHOTO_REQUESTS,
      samples: samples.map(photoCodecs.request.encode),
      seed: 15,
      good,
    });
    for (const { key } of good) readyIn((await answered(key))[0]);
    const dead = (await held(deadTopicOf(PHOTO_REQUESTS))).map(({ value }) =>
      deadLetterCodec.decode(value)._unsafeUnwrap(),
    );
    expect(dead.length).toBeGreaterThan(texts.length);
    expect(dead.filter(({ reason, attempts }) => reason === '' || attempts > 1)).toEqual([]);
  }, 180_000);
});

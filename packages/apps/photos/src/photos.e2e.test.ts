import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { pgMessageLog } from '@doska/adapters-pg';
import { photoCodecs } from '@doska/adapters-proto';
import { silentTelemetry, type MessageLog } from '@doska/core/kernel';
import {
  eventually,
  publishSurely,
  readAll,
  realClock,
  realIds,
  realRandom,
} from '@doska/core/kernel/testing';
import { PHOTO_REQUESTS, PHOTO_RESULTS } from '@doska/core/photos';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { pictureServer, type PictureServer } from './testing/picture-server.ts';

/** The app as its own process, as people start it. */
const MAIN = fileURLToPath(new URL('../../platform/dist/main.js', import.meta.url));
const SECRET = 'only-for-this-test-and-long-enough';
const PARTITIONS = 2;
const dataDir = mkdtempSync(join(tmpdir(), 'doska-photos-'));
const waiting: ServerResponse[] = [];
let picture: Buffer;
let open = false;
let database: FreshDatabase;
let web: PictureServer;
let log: MessageLog;
let app: ChildProcess;

const start = (): ChildProcess =>
  spawn(process.execPath, [MAIN, 'photos'], {
    env: {
      PATH: process.env['PATH'],
      DOSKA_PROFILE: 'postgres',
      DATABASE_URL: database.url,
      DOSKA_TOKEN_KEY: SECRET,
      DOSKA_SIGNING_SECRET: SECRET,
      DOSKA_DATA_DIR: dataDir,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_PARTITIONS: String(PARTITIONS),
      DOSKA_LEASE_MS: '1000',
      DOSKA_HEARTBEAT_MS: '200',
      DOSKA_DOWNLOAD_ALLOW: '127.0.0.1',
    },
    stdio: 'ignore',
  });
const kill = async (): Promise<void> => {
  const gone = once(app, 'exit');
  app.kill('SIGKILL');
  await gone;
};
const answers = async (): Promise<readonly (readonly [string, string | undefined])[]> => {
  const partitions = await Promise.all([0, 1].map((partition) => readAll(log, PHOTO_RESULTS, partition)));
  return partitions.flat().map(({ key, value }) => {
    const outcome = photoCodecs.result.decode(value)._unsafeUnwrap().photos[0]?.outcome;
    return [key, outcome?.kind === 'ready' ? outcome.imageId : undefined] as const;
  });
};

beforeAll(async () => {
  picture = await sharp({ create: { width: 300, height: 200, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  web = await pictureServer((request, response) => {
    if (open || request.url === '/at-once') return void response.end(picture);
    waiting.push(response);
  });
  database = await freshDatabase();
  const { logger } = silentTelemetry;
  const parts = { clock: realClock, ids: realIds, random: realRandom, logger };
  log = pgMessageLog({ url: database.url, pool: database.pool, ...parts });
});
afterAll(async () => {
  await kill();
  await log.close();
  await database.drop();
  web.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test('[G9] kill -9 in the middle of requests loses none of them', async () => {
  app = start();
  const offers = Array.from({ length: 20 }, (_, i) => `offer-${i}`);
  await eventually(async () => expect((await log.topics())._unsafeUnwrap()).toHaveLength(3), {
    withinMs: 30_000,
  });
  await publishSurely(
    log,
    offers.map((offerId, i) => ({
      topic: PHOTO_REQUESTS,
      key: offerId,
      value: photoCodecs.request.encode({
        offerId,
        released: [],
        atUs: 1,
        urls: [web.url(i < 4 ? '/at-once' : `/${offerId}`)],
      }),
    })),
  );
  // Some are answered, others stand before a server that does not answer.
  await eventually(() => expect(waiting.length).toBeGreaterThan(0), { withinMs: 30_000 });
  await kill();
  open = true;
  app = start();
  const all = await eventually(
    async () => {
      const told = await answers();
      expect(new Set(told.map(([offer]) => offer))).toEqual(new Set(offers));
      return told;
    },
    { withinMs: 40_000 },
  );
  expect(new Set(all.map(([, image]) => image))).toEqual(new Set([all[0]![1]]));
  expect(all[0]![1]).toMatch(/^[0-9a-f]{64}$/);
});

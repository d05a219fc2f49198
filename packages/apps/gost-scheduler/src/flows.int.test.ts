import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { flowCodecs, gostCodecs, photoCodecs } from '@doska/adapters-proto';
import { catalogApi } from '@doska/app-catalog-api';
import { loadConfig, startHost, Tokens, type RunningHost } from '@doska/app-composition';
import type { CategoryId } from '@doska/core/catalog';
import {
  FEED_OFFERS,
  FEED_PHOTO_ERRORS,
  FEED_RESULTS,
  MODERATION_OPINIONS,
  offerStatus,
  type FeedAnswer,
  type FeedMessage,
  type ModerationOpinion,
  type Offer,
  type SellerId,
} from '@doska/core/gost';
import { feedBatch, feedEntry, feedTerminal } from '@doska/core/gost/testing';
import { deadTopicOf, partitionOf } from '@doska/core/kernel';
import { eventually } from '@doska/core/kernel/testing';
import { PHOTO_REQUESTS, PHOTO_RESULTS, type ImageId, type PhotoResult } from '@doska/core/photos';
import { freshDatabase, type FreshDatabase } from '../../../../tests/setup/database.ts';
import { gostScheduler } from './index.ts';

let database: FreshDatabase;
let host: RunningHost;
const dataDir = mkdtempSync(join(tmpdir(), 'doska-flows-'));
beforeAll(async () => {
  database = await freshDatabase();
  const { config } = loadConfig({
    ...{ DOSKA_PROFILE: 'embedded', DATABASE_URL: database.url, DOSKA_DATA_DIR: dataDir },
    ...{ DOSKA_HTTP_PORT: '0', DOSKA_GRPC_PORT: '0', DOSKA_LOG_LEVEL: 'error', DOSKA_PARTITIONS: '4' },
  })._unsafeUnwrap();
  host = (await startHost('flows-test', [catalogApi, gostScheduler], config))._unsafeUnwrap();
});
afterAll(async () => {
  await host?.stop();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const send = async (topic: string, key: string, value: Uint8Array): Promise<void> => {
  (await host.container.get(Tokens.log).publish([{ topic, key, value }]))._unsafeUnwrap();
};
const load = (message: FeedMessage) =>
  send(FEED_OFFERS, message.seller, flowCodecs.feedOffers.encode(message));
const opine = (opinion: ModerationOpinion) =>
  send(MODERATION_OPINIONS, opinion.offerId, flowCodecs.opinions.encode(opinion));
const answerPhotos = (result: PhotoResult) =>
  send(PHOTO_RESULTS, result.offerId, photoCodecs.result.encode(result));
const records = async (topic: string, key: string) => {
  const log = host.container.get(Tokens.log);
  const reader = (await log.read(topic, partitionOf({ key }, 4), 'earliest'))._unsafeUnwrap();
  const found = (await reader.next({ recordsMax: 1_000 }))._unsafeUnwrap();
  await reader.close();
  return found.filter((record) => record.key === key);
};
const answers = async (seller: string): Promise<FeedAnswer[]> =>
  (await records(FEED_RESULTS, seller)).map(({ value }) =>
    flowCodecs.feedResults.decode(value)._unsafeUnwrap(),
  );
const offersOf = async (seller: SellerId): Promise<readonly Offer[]> =>
  (await host.container.get(Tokens.gostStores).scan.ofSeller(seller, { limit: 100 }))._unsafeUnwrap();

const rodent = { category: 'rodents' as CategoryId, attributes: [] };
const photo = (n: number) => `https://photos.test/${n}.jpg`;
let sellers = 0;
const feedOf = () => ({ seller: `feeder-${++sellers}` as SellerId, namespace: 'main' });
const loaded = async (feed: { seller: SellerId; namespace: string }, photos: readonly string[] = []) => {
  await load(feedBatch(1, 0, [feedEntry(1, { ...rodent, photos })], feed));
  return eventually(async () => {
    const [offer] = await offersOf(feed.seller);
    return offer ?? expect.unreachable('no offer yet');
  });
};

describe('gost-scheduler', () => {
  test('[G8] a load comes by topic, is answered by topic, and its terminal removes what is gone', async () => {
    const feed = feedOf();
    const entry = (n: number) => feedEntry(n, rodent);
    await load(feedBatch(1, 0, [entry(1), entry(2)], feed));
    await load(feedTerminal(1, 1, 2, feed));
    await load(feedBatch(2, 0, [entry(1)], feed));
    await load(feedBatch(2, 0, [entry(1)], feed));
    await load(feedTerminal(2, 1, 1, feed));
    await eventually(async () => {
      const said = (await answers(feed.seller)).map((answer) =>
        answer.kind === 'batch'
          ? answer.entries.map(({ verdict }) => verdict).join(' ')
          : `${answer.outcome} -${answer.removed}`,
      );
      expect(said).toEqual(['inserted inserted', 'done -0', 'unchanged', 'done -1']);
    });
    const statuses = (await offersOf(feed.seller)).map(offerStatus).sort();
    expect(statuses).toEqual(['active', 'removed']);
  });

  test('[G7] an opinion by topic bans and allows; an older one, and one about nobody, change nothing', async () => {
    const { id } = await loaded(feedOf());
    const opinion = { offerId: id, verdict: 'banned', reasons: ['spam'], editable: false } as const;
    await opine({ ...opinion, version: 5 });
    await opine({ ...opinion, version: 4, verdict: 'allowed' });
    await opine({ ...opinion, offerId: '0000000000000' as typeof id, version: 1 });
    const status = async () => {
      const [offer] = (await host.container.get(Tokens.gostStores).offers.load([id]))._unsafeUnwrap();
      return [offerStatus(offer!), offer!.opinionVersion];
    };
    await eventually(async () => expect(await status()).toEqual(['banned', 5]));
    await opine({ ...opinion, version: 6, verdict: 'allowed' });
    await eventually(async () => expect(await status()).toEqual(['active', 6]));
  });

  test('[G9] new pictures are asked for; answers are attached once; failures of a feed are told to the feed', async () => {
    const feed = feedOf();
    const { id } = await loaded(feed, [photo(1), photo(2)]);
    await eventually(async () => {
      const asked = (await records(PHOTO_REQUESTS, id)).map(({ value }) =>
        photoCodecs.request.decode(value)._unsafeUnwrap(),
      );
      expect(asked).toMatchObject([{ offerId: id, urls: [photo(1), photo(2)], released: [] }]);
    });
    const imageId = 'a'.repeat(64) as ImageId;
    const result: PhotoResult = {
      offerId: id,
      photos: [
        { url: photo(1), outcome: { kind: 'ready', imageId, width: 640, height: 480, sizes: [] } },
        { url: photo(2), outcome: { kind: 'failed', code: 'not-found', message: 'm', permanent: true } },
        { url: photo(9), outcome: { kind: 'failed', code: 'not-found', message: 'm', permanent: true } },
      ],
    };
    await answerPhotos(result);
    await answerPhotos(result);
    await eventually(async () => {
      const [offer] = await offersOf(feed.seller);
      expect(offer?.version).toBe(2);
      expect(offer?.images).toEqual([
        { url: photo(1), outcome: { kind: 'ready', imageId, width: 640, height: 480 } },
        { url: photo(2), outcome: { kind: 'failed', reason: 'not-found' } },
      ]);
      const told = (await records(FEED_PHOTO_ERRORS, feed.seller)).map(({ value }) =>
        gostCodecs.photoErrors.decode(value)._unsafeUnwrap(),
      );
      expect(told).toEqual([
        {
          ...{ seller: feed.seller, offerId: id, source: { namespace: 'main', externalId: 'ext-1' } },
          errors: [{ url: photo(2), reason: 'not-found' }],
        },
      ]);
    });
    // Another picture: only the new one is asked for, and what became of the others stays.
    await load(feedBatch(2, 0, [feedEntry(1, { ...rodent, photos: [photo(1), photo(3)] })], feed));
    await eventually(async () => {
      const asked = (await records(PHOTO_REQUESTS, id)).map(
        ({ value }) => photoCodecs.request.decode(value)._unsafeUnwrap().urls,
      );
      expect(asked).toEqual([[photo(1), photo(2)], [photo(3)]]);
      expect((await offersOf(feed.seller))[0]?.images.map(({ url }) => url)).toEqual([photo(1)]);
    });
  });

  test('[G7] [G8] [G9] what can’t be read is put aside, and what follows it goes on', async () => {
    const feed = feedOf();
    const { id } = await loaded(feed);
    for (const [topic, key] of [
      [FEED_OFFERS, feed.seller],
      [MODERATION_OPINIONS, id],
      [PHOTO_RESULTS, id],
    ] as const)
      await send(topic, key, new TextEncoder().encode('not ours'));
    await opine({ offerId: id, version: 1, verdict: 'banned', reasons: [], editable: true });
    await load(feedTerminal(1, 1, 1, feed));
    await eventually(async () => {
      expect((await answers(feed.seller)).at(-1)).toMatchObject({ kind: 'terminal', outcome: 'done' });
      expect((await offersOf(feed.seller)).map(offerStatus)).toEqual(['banned']);
      expect(await records(deadTopicOf(FEED_OFFERS), feed.seller)).toHaveLength(1);
      expect(await records(deadTopicOf(MODERATION_OPINIONS), id)).toHaveLength(1);
      expect(await records(deadTopicOf(PHOTO_RESULTS), id)).toHaveLength(1);
    });
  });
});

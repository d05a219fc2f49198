import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deadLetterCodec, flowCodecs, gostCodecs, photoCodecs } from '@doska/adapters-proto';
import { catalogApi } from '@doska/app-catalog-api';
import { loadConfig, startHost, Tokens, type RunningHost } from '@doska/app-composition';
import { GostTokens } from '@doska/app-wiring/gost';
import { contexts } from '@doska/app-wiring';
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
  type OfferId,
  type SellerId,
} from '@doska/core/gost';
import { feedBatch, feedEntry, feedTerminal } from '@doska/core/gost/testing';
import { deadTopicOf, partitionOf, type LogRecord } from '@doska/core/kernel';
import { consumerFuzz, eventually } from '@doska/core/kernel/testing';
import { PHOTO_REQUESTS, PHOTO_RESULTS, type ImageId, type PhotoResult } from '@doska/core/photos';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { gostScheduler } from './index.ts';

let database: FreshDatabase;
let host: RunningHost;
const dataDir = mkdtempSync(join(tmpdir(), 'doska-flows-'));
beforeAll(async () => {
  database = await freshDatabase();
  const { config } = loadConfig(
    {
      DOSKA_PROFILE: 'embedded',
      DATABASE_URL: database.url,
      DOSKA_DATA_DIR: dataDir,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_LOG_LEVEL: 'error',
      DOSKA_PARTITIONS: '4',
    },
    contexts,
  )._unsafeUnwrap();
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
  (await host.container.get(GostTokens.stores).scan.ofSeller(seller, { limit: 100 }))._unsafeUnwrap();

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

  test('[G7] an opinion by topic bans and allows; an older one, and one about an unknown offer, change nothing', async () => {
    const { id } = await loaded(feedOf());
    const opinion = { offerId: id, verdict: 'banned', reasons: ['spam'], editable: false } as const;
    await opine({ ...opinion, version: 5 });
    await opine({ ...opinion, version: 4, verdict: 'allowed' });
    await opine({ ...opinion, offerId: '0000000000000' as typeof id, version: 1 });
    const status = async () => {
      const [offer] = (await host.container.get(GostTokens.stores).offers.load([id]))._unsafeUnwrap();
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
          seller: feed.seller,
          offerId: id,
          source: { namespace: 'main', externalId: 'ext-1' },
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

  const HOSTILE = ['', 'x'.repeat(3_000), 'a\u0000b', ' ', '\u200b', 'я'.repeat(400), 'a\nb'];
  const NUMBERS = [2 ** 53, 2 ** 63, 2 ** 64 - 2_048];
  const deadOf = async (topic: string) => {
    const log = host.container.get(Tokens.log);
    const letters = [];
    for (let partition = 0; partition < 4; partition++) {
      const reader = (await log.read(deadTopicOf(topic), partition, 'earliest'))._unsafeUnwrap();
      for (;;) {
        const page = (await reader.next({ recordsMax: 1_000, waitMs: 10 }))._unsafeUnwrap();
        if (page.length === 0) break;
        letters.push(...page.map(({ value }) => deadLetterCodec.decode(value)._unsafeUnwrap()));
      }
      await reader.close();
    }
    return letters;
  };
  const fuzzed = async (group: string, topic: string, samples: readonly Uint8Array[], good: LogRecord[]) => {
    await consumerFuzz({ log: host.container.get(Tokens.log), group, topic, samples, seed: 15, good });
    const dead = await deadOf(topic);
    expect(dead.length).toBeGreaterThan(0);
    expect(dead.filter(({ reason }) => reason === '')).toEqual([]);
    // None of them needed the store to find out.
    expect(dead.filter(({ attempts }) => attempts > 1)).toEqual([]);
    const goodKeys = new Set(good.map(({ key }) => key));
    expect(dead.filter(({ key }) => goodKeys.has(key))).toEqual([]);
  };

  test('[X1] [X3] feed-offers survives mutated and hostile records, and applies the good ones behind them', async () => {
    const feed = feedOf();
    const entry = feedEntry(1, rodent);
    const batch = feedBatch(1, 0, [entry], feed);
    const messages: FeedMessage[] = [
      batch,
      feedTerminal(1, 1, 1, feed),
      ...HOSTILE.flatMap((text, n): FeedMessage[] => [
        { ...batch, seller: text as SellerId },
        { ...batch, seller: `hostile-${n}` as SellerId, namespace: text },
        {
          ...batch,
          seller: `entries-${n}` as SellerId,
          entries: [{ ...entry, externalId: text }, feedEntry(2, rodent)],
        },
        { ...batch, seller: `words-${n}` as SellerId, entries: [feedEntry(1, { ...rodent, title: text })] },
      ]),
      ...NUMBERS.flatMap((number, n): FeedMessage[] => [
        { ...batch, seller: `task-${n}` as SellerId, task: number },
        { ...batch, seller: `generation-${n}` as SellerId, generation: number },
        { ...batch, seller: `ordinal-${n}` as SellerId, entries: [{ ...entry, ordinal: number }] },
        feedTerminal(1, number, number, { ...feed, seller: `terminal-${n}` as SellerId }),
      ]),
    ];
    const sellers = Array.from({ length: 12 }, () => feedOf());
    const good = sellers.map((one) => ({
      topic: FEED_OFFERS,
      key: one.seller,
      value: flowCodecs.feedOffers.encode(feedBatch(1, 0, [feedEntry(1, rodent)], one)),
    }));
    await fuzzed('gost-feeds', FEED_OFFERS, messages.map(flowCodecs.feedOffers.encode), good);
    for (const { seller } of sellers) expect(await offersOf(seller)).toHaveLength(1);
    // An empty or unstorable external id rejects its entry, not its batch.
    for (const n of HOSTILE.keys()) {
      const all = await offersOf(`entries-${n}` as SellerId);
      expect(all.map(({ source }) => source?.externalId)).toEqual(['ext-2']);
    }
  }, 180_000);

  test('[X1] [X3] moderation-opinions survives mutated and hostile records, and applies the good ones behind them', async () => {
    const offers = await Promise.all(Array.from({ length: 8 }, () => loaded(feedOf())));
    const opinion: ModerationOpinion = {
      offerId: offers[0]!.id,
      version: 1,
      verdict: 'allowed',
      reasons: [],
      editable: true,
    };
    const samples: ModerationOpinion[] = [
      opinion,
      ...HOSTILE.map((text) => ({ ...opinion, offerId: text as OfferId })),
      ...HOSTILE.map((text) => ({ ...opinion, verdict: 'banned' as const, reasons: [text] })),
      ...NUMBERS.map((version) => ({ ...opinion, version })),
      { ...opinion, version: 0 },
      { ...opinion, verdict: 'banned', reasons: Array<string>(1_000).fill('spam') },
    ];
    const good = offers.map(({ id }) => ({
      topic: MODERATION_OPINIONS,
      key: id,
      value: flowCodecs.opinions.encode({
        ...opinion,
        offerId: id,
        version: 2 ** 52,
        verdict: 'banned',
        reasons: ['spam'],
      }),
    }));
    await fuzzed('gost-moderation', MODERATION_OPINIONS, samples.map(flowCodecs.opinions.encode), good);
    const found = (
      await host.container.get(GostTokens.stores).offers.load(offers.map(({ id }) => id))
    )._unsafeUnwrap();
    expect(found.map(offerStatus)).toEqual(Array(8).fill('banned'));
  }, 180_000);

  test('[X1] [X3] photo-results survives mutated and hostile records, and applies the good ones behind them', async () => {
    const offers = await Promise.all(Array.from({ length: 8 }, () => loaded(feedOf(), [photo(1)])));
    const imageId = 'ab'.repeat(32) as ImageId;
    const result = (offerId: string, url = photo(1)): PhotoResult => ({
      offerId,
      photos: [{ url, outcome: { kind: 'ready', imageId, width: 8, height: 6, sizes: [] } }],
    });
    const samples = [
      result(offers[0]!.id, photo(9)),
      ...HOSTILE.map((text) => result(text)),
      ...HOSTILE.map((text) => result(offers[0]!.id, text)),
      {
        offerId: offers[0]!.id,
        photos: Array.from({ length: 500 }, (_, n) => result('x', photo(n)).photos[0]!),
      },
    ];
    const good = offers.map(({ id }) => ({
      topic: PHOTO_RESULTS,
      key: id,
      value: photoCodecs.result.encode(result(id)),
    }));
    await fuzzed('gost-photos', PHOTO_RESULTS, samples.map(photoCodecs.result.encode), good);
    const found = (
      await host.container.get(GostTokens.stores).offers.load(offers.map(({ id }) => id))
    )._unsafeUnwrap();
    expect(found.map(({ images }) => images.length)).toEqual(Array(8).fill(1));
  }, 180_000);
});

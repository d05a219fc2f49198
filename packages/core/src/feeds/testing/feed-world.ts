import { createHash } from 'node:crypto';
import { err, errAsync, ok, ResultAsync, type Result } from 'neverthrow';
import type { Catalog } from '../../catalog/index.ts';
import { offerStatus, type FeedAnswer, type FeedKey, type FeedMessage } from '../../gost/index.ts';
import {
  inMemoryGostStores,
  jsonFlowCodecs,
  jsonGostCodecs,
  openTestGost,
  sampleCatalog,
  sampleGeocoder,
} from '../../gost/testing.ts';
import { FEED_RESULTS } from '../../gost/index.ts';
import {
  silentTelemetry,
  unavailable,
  type BlobHash,
  type BlobSourceFailed,
  type BlobTooLarge,
  type LogPublisher,
} from '../../kernel/index.ts';
import {
  blobServer,
  countingIds,
  inMemoryBlobStore,
  inMemoryDownloader,
  inMemoryGenericStorage,
  jsonCodec,
  manualClock,
  memoryDatabase,
  memoryWeb,
  seededRandom,
} from '../../kernel/testing.ts';
import { defaultFeedsSettings, feedShard, type FeedsSettings } from '../domain/settings.ts';
import { composeFeeds, type FeedsPorts } from '../open-feeds.ts';
import type { FeedStores } from '../ports/feed-store.port.ts';
import type { Spool, Spooled } from '../ports/spool.port.ts';
import { plainAnalyzer } from '../../vasgen/testing.ts';
import { inMemoryFeedStores } from './in-memory-feed-stores.ts';
import { plainWorkbook } from './plain-workbook.ts';
import { plainReader } from './plain-reader.ts';

const collect = async (chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
};
async function* once(content: Uint8Array): AsyncIterable<Uint8Array> {
  yield content;
}
export const memorySpool: Spool = {
  spool: (chunks, { bytesMax }) =>
    ResultAsync.fromPromise(collect(chunks), (cause): BlobSourceFailed => ({
      kind: 'BlobSourceFailed',
      cause,
    })).andThen((content): Result<Spooled, BlobTooLarge> =>
      content.length > bytesMax
        ? err({ kind: 'BlobTooLarge', bytesMax })
        : ok({
            hash: createHash('sha256').update(content).digest('hex') as BlobHash,
            bytes: content.length,
            read: () => once(content),
            discard: async () => {},
          }),
    ),
};

/** Ports that a test replaces. `storesOf` changes the stores of the process, not of the test. `onPublish` runs when a message is in the topic and before its sender hears of it. */
export type FeedWorldParts = Partial<Pick<FeedsPorts, 'reader' | 'downloader'>> & {
  readonly storesOf?: (right: FeedStores) => FeedStores;
  readonly onPublish?: (message: FeedMessage) => Promise<void>;
};

/** Feeds and the real offer store in memory. The test moves messages, answers and time. */
export const feedWorld = (settings: Partial<FeedsSettings> = {}, parts: FeedWorldParts = {}) => {
  const time = manualClock(1_000_000);
  const { clock } = time;
  const db = memoryDatabase({ nowMs: time.nowMs, mode: 'constrained' });
  const stores = inMemoryFeedStores(db);
  const gostStores = inMemoryGostStores(memoryDatabase({ nowMs: time.nowMs }));
  const ids = countingIds();
  const gost = openTestGost({
    stores: gostStores,
    clock,
    random: seededRandom(1),
    newName: ids.next,
    settings: { shards: 1 },
  });
  const server = blobServer();
  const web = memoryWeb();
  const topic: FeedMessage[] = [];
  let isDown = false;
  const log = {
    promises: { fences: false, joinsTransactions: false },
    publish: (records: readonly { readonly value: Uint8Array }[]) => {
      if (isDown) return errAsync(unavailable('topic', undefined, false));
      const messages = records.map(({ value }) => jsonFlowCodecs.feedOffers.decode(value)._unsafeUnwrap());
      topic.push(...messages);
      const told = messages.map(async (message) => parts.onPublish?.(message));
      return ResultAsync.fromSafePromise(Promise.all(told)).map(() => undefined);
    },
  } as unknown as LogPublisher;
  let catalog: Catalog = sampleCatalog;
  const all: FeedsSettings = { ...defaultFeedsSettings, ...settings };
  const feeds = composeFeeds(
    {
      stores: parts.storesOf?.(stores) ?? stores,
      storage: inMemoryGenericStorage(db),
      blobs: inMemoryBlobStore(server),
      spool: memorySpool,
      reader: parts.reader ?? plainReader,
      workbook: plainWorkbook,
      downloader: parts.downloader ?? inMemoryDownloader(web),
      log,
      codecs: {
        offers: jsonFlowCodecs.feedOffers,
        answers: jsonFlowCodecs.feedResults,
        photoErrors: jsonGostCodecs.photoErrors,
        kept: jsonCodec('kept'),
        deadLetters: jsonCodec('letter'),
      },
      catalog: () => ok(catalog),
      analyzer: plainAnalyzer,
      geocoder: sampleGeocoder,
      clock,
      ids,
      random: seededRandom(2),
      telemetry: silentTelemetry,
    },
    all,
  );
  const signal: AbortSignal = new AbortController().signal;
  /** GOST handles everything in the topic. Returns its answers. */
  const deliver = async (messages: readonly FeedMessage[] = topic.splice(0)): Promise<FeedAnswer[]> => {
    for (const message of messages)
      while ((await gost.applyFeedMessage(message))._unsafeUnwrap() === 'again') continue;
    const rows = (await gostStores.queue.read(0, 1_000))._unsafeUnwrap();
    await gostStores.queue.delete(rows);
    return rows
      .filter((row) => row.topic === FEED_RESULTS)
      .map(({ value }) => jsonFlowCodecs.feedResults.decode(value)._unsafeUnwrap());
  };
  const save = async (key: FeedKey, answers: readonly FeedAnswer[]): Promise<void> =>
    (await feeds.saveAnswers(key, answers))._unsafeUnwrap();
  const process = async (key: FeedKey): Promise<number> =>
    (await feeds.processTurn(feedShard(key), signal))._unsafeUnwrap();
  const fetch = async (key: FeedKey): Promise<number> =>
    (await feeds.loadTurn(feedShard(key), signal))._unsafeUnwrap();
  /** One load from the queue to its end. */
  const settle = async (key: FeedKey): Promise<void> => {
    for (let round = 0; round < 5; round++) {
      await process(key);
      await save(key, await deliver());
    }
  };
  const upload = async (key: FeedKey, text: string, options: object = {}) =>
    feeds.receive.upload(key, once(new TextEncoder().encode(text)), options);
  const history = async (key: FeedKey) =>
    (await feeds.read.listLoads(key, { limit: 100 }))._unsafeUnwrap().map(({ load }) => load);
  const place = async (key: FeedKey, task: number): Promise<string> => {
    const load = (await history(key)).find((one) => one.task.id === task);
    const why = load?.task.place === 'failed' ? ` ${load.task.failure.code}` : '';
    return load ? `${load.task.place}${why}` : 'unknown';
  };
  const offers = async (key: FeedKey): Promise<Record<string, string>> => {
    const found = (await gostStores.scan.ofSeller(key.seller, { limit: 1_000 }))._unsafeUnwrap();
    return Object.fromEntries(
      found.map((offer) => [offer.source?.externalId ?? `manual ${offer.content.title}`, offerStatus(offer)]),
    );
  };
  return {
    time,
    clock,
    stores,
    feeds,
    web,
    topic,
    server,
    settings: all,
    deliver,
    save,
    process,
    fetch,
    settle,
    upload,
    history,
    place,
    offers,
    signal,
    breakTopic: (down: boolean) => void (isDown = down),
    setCatalog: (next: Catalog) => void (catalog = next),
  };
};

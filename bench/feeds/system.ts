import { randomInt, randomUUID } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileBlobStore, fileSpool, loadCatalogFiles } from '@doska/adapters-files';
import { formatReader, xlsxWriter } from '@doska/adapters-formats';
import { pgFeedStores, pgMessageLog } from '@doska/adapters-pg';
import { deadLetterCodec, flowCodecs, gostCodecs, photoCodecs } from '@doska/adapters-proto';
import { russianEnglishAnalyzer } from '@doska/adapters-text';
import { catalogOf } from '@doska/core/catalog';
import { composeFeeds } from '@doska/core/feeds/testing';
import { defaultFeedsSettings, feedShard } from '@doska/core/feeds';
import { FEED_OFFERS, type FeedAnswer, type FeedKey, type SellerId } from '@doska/core/gost';
import { silentTelemetry } from '@doska/core/kernel';
import {
  inMemoryDownloader,
  inMemoryGenericStorage,
  memoryDatabase,
  memoryWeb,
} from '@doska/core/kernel/testing';
import { ok, okAsync } from 'neverthrow';
import type { BenchDatabase } from '../gost/databases.ts';
import { clock } from '../gost/samples.ts';
import type { Measured } from '../harness.ts';
import type { FeedFile } from './feed-file.ts';

const DEMO = fileURLToPath(new URL('../../../packages/apps/catalog-api/demo', import.meta.url));
const MB = 1e6;

export type BenchFeeds = {
  readonly feeds: ReturnType<typeof composeFeeds>;
  readonly uploaded: (file: FeedFile) => Promise<FeedKey>;
  readonly close: () => Promise<void>;
};

/** The feeds of one process: stores and log on PostgreSQL, files on the disk, the real recogniser with the demo catalogue. */
export const feedsOn = async ({ url, pool }: BenchDatabase): Promise<BenchFeeds> => {
  const catalog = catalogOf(1, (await loadCatalogFiles(DEMO))._unsafeUnwrap());
  const dir = mkdtempSync(join(tmpdir(), 'doska-bench-feeds-'));
  const ids = { next: () => randomUUID() };
  const random = { below: (n: number) => randomInt(n) };
  const log = pgMessageLog({ url, pool, clock, logger: silentTelemetry.logger, ids, random });
  const topic = { name: FEED_OFFERS, partitions: 2, retentionMs: 86_400_000, recordBytesMax: 4 << 20 };
  (await log.ensureTopics([topic]))._unsafeUnwrap();
  const feeds = composeFeeds(
    {
      stores: pgFeedStores(pool),
      storage: inMemoryGenericStorage(memoryDatabase({ nowMs: clock.nowMs })),
      blobs: fileBlobStore({ dir: join(dir, 'blobs'), clock }),
      spool: fileSpool(join(dir, 'spool')),
      reader: formatReader(),
      workbook: xlsxWriter(),
      downloader: inMemoryDownloader(memoryWeb()),
      log,
      codecs: {
        offers: flowCodecs.feedOffers,
        answers: flowCodecs.feedResults,
        photoErrors: gostCodecs.photoErrors,
        kept: photoCodecs.kept,
        deadLetters: deadLetterCodec,
      },
      catalog: () => ok(catalog),
      analyzer: russianEnglishAnalyzer(),
      geocoder: { locate: () => okAsync({ geoId: 'moscow', district: undefined, metro: [] }) },
      clock,
      ids,
      random,
      telemetry: silentTelemetry,
    },
    defaultFeedsSettings,
  );
  let sellers = 0;
  const uploaded = async (file: FeedFile): Promise<FeedKey> => {
    const key = { seller: `bench-${++sellers}` as SellerId, namespace: 'main' };
    (await feeds.receive.upload(key, createReadStream(file.path)))._unsafeUnwrap();
    return key;
  };
  return {
    feeds,
    uploaded,
    close: async (): Promise<void> => {
      await log.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

/** From the stored file to acknowledged batches in the topic: checked, recognised, encoded, published. MB of the file a second. */
export const processor = async ({ feeds, uploaded }: BenchFeeds, file: FeedFile): Promise<Measured> => {
  const key = await uploaded(file);
  const { signal } = new AbortController();
  const startedMs = performance.now();
  const runs = (await feeds.processTurn(feedShard(key), signal))._unsafeUnwrap();
  const seconds = (performance.now() - startedMs) / 1_000;
  const [view] = (await feeds.read.listLoads(key, { limit: 1 }))._unsafeUnwrap();
  if (runs !== 1 || view?.load.progress.offersSent !== file.offers)
    throw new Error('the load was not sent whole');
  return { value: file.bytes / MB / seconds, figures: { offers_per_s: file.offers / seconds } };
};

const BATCH = 500;
/** Saves answers of one load: 500 entries each, of which every tenth has an error. Rows of errors and batches a second. */
export const answers = async (
  { feeds, uploaded }: BenchFeeds,
  file: FeedFile,
  batches: number,
): Promise<Measured> => {
  const key = await uploaded(file);
  const { signal } = new AbortController();
  (await feeds.processTurn(feedShard(key), signal))._unsafeUnwrap();
  const [view] = (await feeds.read.listLoads(key, { limit: 1 }))._unsafeUnwrap();
  const { task } = view!.load;
  const told = Array.from(
    { length: batches },
    (_, batch): FeedAnswer =>
      ({
        ...key,
        kind: 'batch',
        outcome: 'applied',
        task: task.id,
        generation: task.generation,
        batch,
        entries: Array.from({ length: BATCH }, (_, n) => ({
          ordinal: batch * BATCH + n,
          externalId: `made-${batch * BATCH + n}`,
          offerId: undefined,
          title: n % 10 === 0 ? 'Велосипед горный Stels Navigator' : undefined,
          verdict: n % 10 === 0 ? 'rejected' : 'inserted',
          violations: [],
          errors:
            n % 10 === 0
              ? [
                  {
                    level: 'error',
                    code: 'attribute',
                    path: 'offer/attributes',
                    message: 'the dictionary of this attribute has no such value',
                    value: 'Неведомое',
                    line: n,
                  },
                ]
              : [],
        })),
      }) as unknown as FeedAnswer,
  );
  const startedMs = performance.now();
  for (let at = 0; at < told.length; at += 4)
    (await feeds.saveAnswers(key, told.slice(at, at + 4)))._unsafeUnwrap();
  const seconds = (performance.now() - startedMs) / 1_000;
  return {
    value: (batches * (1 + BATCH / 10)) / seconds,
    figures: { offers_per_s: (batches * BATCH) / seconds },
  };
};

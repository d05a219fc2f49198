import { ok, type ResultAsync } from 'neverthrow';
import { catalogOf } from '../../catalog/index.ts';
import { FEED_RESULTS, type FeedAnswer, type FeedMessage, type Offer } from '../../gost/index.ts';
import {
  inMemoryGostStores,
  jsonFlowCodecs,
  jsonGostCodecs,
  offersIn,
  openTestGost,
  sampleCatalog,
  sampleGeocoder,
} from '../../gost/testing.ts';
import { silentTelemetry, sleep, type LogPublisher, type Unavailable } from '../../kernel/index.ts';
import {
  blobServer,
  FAULTS,
  inMemoryBlobStore,
  inMemoryDownloader,
  inMemoryGenericStorage,
  jsonCodec,
  memoryDatabase,
  memoryWeb,
  type Env,
  type Scenario,
} from '../../kernel/testing.ts';
import { defaultFeedsSettings, feedShard, type FeedsSettings } from '../domain/settings.ts';
import { composeFeeds } from '../open-feeds.ts';
import type { FeedStores } from '../ports/feed-store.port.ts';
import { makeTopicLaw, filesLaw, isQuiet, makeGrowthLaw, sameFeed, statisticsLaw } from './feeds-laws.ts';
import { sampleFeedKey } from './feed-samples.ts';
import { plainAnalyzer } from '../../vasgen/testing.ts';
import { inMemoryFeedStores } from './in-memory-feed-stores.ts';
import { makeOffersLaw, offersAreThere } from './offers-laws.ts';
import { plainWorkbook } from './plain-workbook.ts';
import { plainReader } from './plain-reader.ts';
import { actOn, sellerOf } from './simulated-sellers.ts';
import { memorySpool } from './feed-world.ts';

const MINUTE_MS = 60_000;
/** Pauses of the simulation are up to 40 s: longer than a lock, shorter than what is settled. */
const settings: FeedsSettings = {
  ...defaultFeedsSettings,
  task: {
    ...defaultFeedsSettings.task,
    attemptsMax: 50,
    resendsMax: 50,
    answerWithinMs: 5 * MINUTE_MS,
    backoff: { firstMs: 5_000, factor: 2, maxMs: 20_000 },
  },
  lockMs: 30_000,
  renewMs: 5_000,
  batch: { entriesMax: 2, bytesMax: 1_000_000 },
  fetchRetry: { firstMs: 5_000, maxMs: 20_000 },
  repeatPauseMs: 10_000,
  keepProcessed: 2,
  keepOthers: 2,
  ownerMs: 3 * MINUTE_MS,
  settleMs: 2 * MINUTE_MS,
};

export type FeedsScenarioOptions = {
  /** Planted bugs. Every process has its own. */
  readonly storesOf?: (right: FeedStores) => FeedStores;
  readonly logOf?: (right: LogPublisher) => LogPublisher;
};
const hash = (text: string): number =>
  [...text].reduce((sum, symbol) => (Math.imul(sum, 31) + symbol.charCodeAt(0)) | 0, 7) >>> 0;

/** Sellers, loaders, processors, the offer store, answers and the cleanup, with everything that can go wrong. */
export const feedsScenario = ({
  storesOf = (right) => right,
  logOf = (right) => right,
}: FeedsScenarioOptions = {}): Scenario => ({
  faults: FAULTS,
  wildSteps: 500,
  calmSteps: 30_000,
  build: (world) => {
    const { nowMs } = world;
    const db = memoryDatabase({ nowMs });
    const gostDb = memoryDatabase({ nowMs });
    const server = blobServer();
    const web = memoryWeb();
    const topic: FeedMessage[] = [];
    const answers: FeedAnswer[] = [];
    const read = { offers: 0, answers: 0 };
    let catalog = sampleCatalog;
    const changeCatalog = (): void => void (catalog = catalogOf(catalog.version + 1, sampleCatalog.content));
    const keys = [sampleFeedKey('s0'), sampleFeedKey('s0', 'second'), sampleFeedKey('s1')];
    const shards = [...new Set(keys.map(feedShard))];
    const sellers = keys.map((key) => sellerOf(key, (n) => world.below(n)));

    const feedsOf = ({ io, clock, ids }: Env) => {
      const log = {
        promises: { fences: false, joinsTransactions: false },
        publish: (records: readonly { readonly value: Uint8Array }[]): ResultAsync<void, Unavailable> =>
          io({ name: 'log.publish', lane: 'offers' }, () => {
            for (const { value } of records)
              topic.push(jsonFlowCodecs.feedOffers.decode(value)._unsafeUnwrap());
            return ok(undefined);
          }),
      } as unknown as LogPublisher;
      return composeFeeds(
        {
          stores: storesOf(inMemoryFeedStores(db, io)),
          storage: inMemoryGenericStorage(db, io),
          blobs: inMemoryBlobStore(server, io),
          spool: memorySpool,
          reader: plainReader,
          workbook: plainWorkbook,
          downloader: inMemoryDownloader(web),
          log: logOf(log),
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
          random: { below: (n) => hash(ids.next()) % n },
          telemetry: silentTelemetry,
        },
        settings,
      );
    };
    for (const seller of sellers)
      world.process(`${seller.key.seller}-${seller.key.namespace}`, (env) =>
        actOn(seller, feedsOf(env), { env, web, changeCatalog }),
      );
    const turns = (name: string, which: 'processTurn' | 'loadTurn') =>
      world.process(name, async (env) => {
        const feeds = feedsOf(env);
        const { signal } = new AbortController();
        for (;;) {
          for (const shard of shards) await feeds[which](shard, signal);
          await sleep(env.clock, 3_000);
        }
      });
    for (const n of [0, 1]) turns(`processor${n}`, 'processTurn');
    for (const n of [0, 1]) turns(`loader${n}`, 'loadTurn');
    for (const n of [0, 1])
      world.process(`cleanup${n}`, async (env) => {
        const feeds = feedsOf(env);
        for (;;) {
          await feeds.cleanUp(new AbortController().signal);
          await sleep(env.clock, 20_000);
        }
      });

    const offersLaw = makeOffersLaw({ db, server });
    let broken: string | undefined;
    // The offer store has a simulation of its own: here its steps are whole, and its messages are lost, late and repeated.
    // One process: with two, a law could not say whose message changed an offer.
    world.process('gost', async (env) => {
      const stores = inMemoryGostStores(gostDb);
      const gost = openTestGost({
        stores,
        clock: env.clock,
        newName: () => env.ids.next(),
        random: { below: (n) => hash(env.ids.next()) % n },
        settings: { shards: 1, feedGuard: { shareMax: 0.5, offersMin: 2 } },
      });
      for (;;) {
        const at = await env.io({ name: 'log.read' }, () => ok(read.offers));
        const message = at.isOk() ? topic[at.value] : undefined;
        if (at.isErr() || !message) {
          await sleep(env.clock, 1_000);
          continue;
        }
        const before: readonly Offer[] = offersIn(gostDb);
        while ((await gost.applyFeedMessage(message))._unsafeUnwrap() === 'again') continue;
        broken ??= offersLaw(message, before, offersIn(gostDb));
        const rows = (await stores.queue.read(0, 1_000))._unsafeUnwrap();
        await stores.queue.delete(rows);
        for (const row of rows)
          if (row.topic === FEED_RESULTS)
            answers.push(jsonFlowCodecs.feedResults.decode(row.value)._unsafeUnwrap());
        await env.io({ name: 'log.commit' }, () => {
          read.offers = Math.max(read.offers, at.value + 1);
          return ok(undefined);
        });
      }
    });
    for (const name of ['answers0', 'answers1'])
      world.process(name, async (env) => {
        const feeds = feedsOf(env);
        for (;;) {
          const at = await env.io({ name: 'log.read' }, () => ok(read.answers));
          const first = at.isOk() ? answers[at.value] : undefined;
          if (at.isErr() || !first) {
            await sleep(env.clock, 1_000);
            continue;
          }
          const rest = answers.slice(at.value, at.value + 3);
          const end = rest.findIndex((answer) => !sameFeed(answer, first));
          const group = end < 0 ? rest : rest.slice(0, end);
          const { seller, namespace } = first;
          const saved = await feeds.saveAnswers({ seller, namespace }, group);
          if (saved.isErr()) continue;
          await env.io({ name: 'log.commit' }, () => {
            read.answers = Math.max(read.answers, at.value + group.length);
            return ok(undefined);
          });
        }
      });

    const topicLaw = makeTopicLaw(topic);
    const growthLaw = makeGrowthLaw(db);
    let seen = -1;
    let blobs = -1;
    return {
      law: () => {
        if (broken !== undefined) return broken;
        const stored = [...server.areas.values()].reduce((sum, area) => sum + area.size, 0);
        const order = topicLaw();
        if (order !== undefined || (db.commits.length === seen && stored === blobs)) return order;
        seen = db.commits.length;
        blobs = stored;
        return growthLaw() ?? filesLaw(db, server) ?? statisticsLaw(db, answers);
      },
      done: () =>
        sellers.every(({ done, plan }) => done === plan.length) &&
        read.offers === topic.length &&
        read.answers === answers.length &&
        isQuiet(db, server) &&
        sellers.every((seller) => offersAreThere(seller, offersIn(gostDb))),
    };
  },
});

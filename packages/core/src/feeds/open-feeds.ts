import type { Catalog, CatalogNotLoaded } from '../catalog/index.ts';
import type { FeedAnswer, FeedMessage, FeedPhotoErrors, Geocoder } from '../gost/index.ts';
import type { Result } from 'neverthrow';
import {
  makeKeeping,
  withDeadLetters,
  type BatchHandler,
  type BlobStore,
  type Clock,
  type Codec,
  type DeadLetter,
  type Downloader,
  type GenericStorage,
  type Ids,
  type JobSpec,
  type Kept,
  type LogPublisher,
  type Random,
  type RecordHandler,
  type ShardWork,
  type Telemetry,
} from '../kernel/index.ts';
import type { Analyzer } from '../vasgen/index.ts';
import { defaultFeedsSettings, type FeedsSettings } from './domain/settings.ts';
import type { FeedReader } from './ports/feed-reader.port.ts';
import type { FeedStores } from './ports/feed-store.port.ts';
import type { SheetWriter } from './ports/sheet-writer.port.ts';
import type { Spool } from './ports/spool.port.ts';
import { makeConsumePhotoErrors } from './use-cases/consume-photo-errors.ts';
import { makeExportErrors, type ExportErrors } from './use-cases/export-errors.ts';
import { makeFetchLink } from './use-cases/fetch-links.ts';
import { makeKeepFile } from './use-cases/keep-file.ts';
import { makeManageFeeds, type ManageFeeds } from './use-cases/manage-feeds.ts';
import { makeReadLoads, type ReadLoads } from './use-cases/read-loads.ts';
import { makeReceiveFile, type ReceiveFile } from './use-cases/receive-file.ts';
import { makeRunTask } from './use-cases/run-task.ts';
import { makeConsumeAnswers, makeSaveAnswers } from './use-cases/save-answers.ts';
import { makeLoadTurn, makeProcessTurn, shardWork } from './use-cases/shard-workers.ts';
import { makeCleanUp, makeEraseFeeds, makeWatchShard, type EraseFeeds } from './use-cases/watch-and-clean.ts';

export type FeedsPorts = {
  readonly stores: FeedStores;
  readonly storage: GenericStorage;
  readonly blobs: BlobStore;
  readonly spool: Spool;
  readonly reader: FeedReader;
  readonly workbook: SheetWriter;
  readonly downloader: Downloader;
  readonly log: LogPublisher;
  readonly codecs: {
    readonly offers: Codec<FeedMessage>;
    readonly answers: Codec<FeedAnswer>;
    readonly photoErrors: Codec<FeedPhotoErrors>;
    readonly kept: Codec<Kept>;
    readonly deadLetters: Codec<DeadLetter>;
  };
  readonly catalog: () => Result<Catalog, CatalogNotLoaded>;
  readonly analyzer: Analyzer;
  readonly geocoder: Geocoder;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
};
export type FeedsUseCases = ManageFeeds &
  ReceiveFile &
  ReadLoads & { readonly eraseFeeds: EraseFeeds; readonly exportErrors: ExportErrors };
export type Feeds = {
  readonly useCases: FeedsUseCases;
  readonly workers: {
    /** Fetches due links of a shard. */
    readonly loadShard: ShardWork;
    /** Runs due loads of a shard. */
    readonly processShard: ShardWork;
    readonly consumeAnswers: BatchHandler;
    readonly consumePhotoErrors: RecordHandler;
    readonly cleanUp: JobSpec;
  };
};

const CLEAN_UP_EVERY_MS = 60_000;

/** Everything behind the door, for `openFeeds` and for tests that take single steps. */
export const composeFeeds = (ports: FeedsPorts, settings: FeedsSettings = defaultFeedsSettings) => {
  const { stores, storage, blobs, spool, reader, workbook, downloader, log, codecs, catalog } = ports;
  const { analyzer, geocoder, clock, ids, random, telemetry } = ports;
  const { feeds, owners, photoErrors } = stores;
  const files = makeKeeping({
    storage,
    space: 'feed-files',
    codec: codecs.kept,
    clock,
    settleMs: settings.settleMs,
  });
  const keepFile = makeKeepFile({ owners, files, blobs, clock, ids });
  const catalogVersion = (): number =>
    catalog().match(
      ({ version }) => version,
      () => 0,
    );
  const readLimits = {
    ...settings.read,
    decodedBytesMax: settings.file.decodedBytesMax,
    offersMax: settings.offersMax,
  };
  const upkeep = { stores, keepFile, clock, settings };
  const watch = makeWatchShard(upkeep);
  const runTask = makeRunTask({
    feeds,
    blobs,
    reader,
    readLimits,
    log,
    codec: codecs.offers,
    catalog,
    analyzer,
    geocoder,
    clock,
    settings,
  });
  const fetchLink = makeFetchLink({
    feeds,
    downloader,
    spool,
    keepFile,
    clock,
    random,
    settings,
    catalogVersion,
  });
  const counted = telemetry.metrics.counter({
    name: 'doska_feeds_ignored_answers_total',
    help: 'Answers of the offer store that changed nothing and are worth a look, by reason.',
    labels: ['reason'],
  });
  const read = makeReadLoads({ feeds, photoErrors, catalog, clock });
  const turns = { stores, watch, clock, ids, settings, logger: telemetry.logger };
  return {
    manage: makeManageFeeds({ feeds, clock, settings }),
    receive: makeReceiveFile({ feeds, spool, keepFile, clock, settings }),
    read,
    exportErrors: makeExportErrors(read, workbook),
    erase: makeEraseFeeds(upkeep),
    saveAnswers: makeSaveAnswers({ feeds, clock, settings, counted }),
    cleanUp: makeCleanUp(upkeep),
    processTurn: makeProcessTurn({ ...turns, runTask }),
    loadTurn: makeLoadTurn({ ...turns, fetchLink }),
    runTask,
    fetchLink,
    watch,
    keepFile,
  };
};

/** Opens the feeds of one process. */
export const openFeeds = (ports: FeedsPorts, settings: FeedsSettings, attemptsMax: number): Feeds => {
  const parts = composeFeeds(ports, settings);
  const { codecs, clock, log, telemetry } = ports;
  const { logger, metrics } = telemetry;
  const letters = { log, codec: codecs.deadLetters, clock, logger, metrics, attemptsMax };
  const refuse = withDeadLetters(letters, () =>
    Promise.resolve({ kind: 'poison', reason: 'Malformed: feed results' }),
  );
  const worker = { clock, settings, logger };
  return {
    useCases: {
      ...parts.manage,
      ...parts.receive,
      ...parts.read,
      eraseFeeds: parts.erase,
      exportErrors: parts.exportErrors,
    },
    workers: {
      loadShard: shardWork(parts.loadTurn, worker, 'feed loader'),
      processShard: shardWork(parts.processTurn, worker, 'feed processor'),
      consumeAnswers: makeConsumeAnswers({ save: parts.saveAnswers, codec: codecs.answers, clock }, refuse),
      consumePhotoErrors: makeConsumePhotoErrors(ports.stores.photoErrors, codecs.photoErrors),
      cleanUp: {
        name: 'feeds-cleanup',
        everyMs: CLEAN_UP_EVERY_MS,
        run: async ({ signal }) =>
          parts
            .cleanUp(signal)
            .map((deleted) => `${deleted} loads and files were deleted`)
            .mapErr(({ what }) => ({ kind: 'JobFailed' as const, reason: what })),
      },
    },
  };
};

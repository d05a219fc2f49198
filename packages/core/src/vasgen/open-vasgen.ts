import { err, ok, type Result } from 'neverthrow';
import type {
  BatchHandler,
  BlobStore,
  BlockedPartitions,
  Clock,
  GenericStorage,
  Ids,
  JobSpec,
  MessageLog,
  Random,
  RecordHandler,
  ShardWork,
  Telemetry,
  Unavailable,
} from '../kernel/index.ts';
import { archiveJobs } from './archive/archive.jobs.ts';
import { makeArchiveTopic } from './archive/archive-topic.worker.ts';
import { makeReadArchive, type ReadArchive } from './archive/read-archive.use-case.ts';
import { makeScrubArchive, type ScrubArchive } from './archive/scrub-archive.use-case.ts';
import type { ClientName } from './document/raw-document.ts';
import type { ShardsMismatch } from './epochs/epoch-store.port.ts';
import { makeAwaitCaughtUp } from './epochs/await-caught-up.use-case.ts';
import { makeKnownEpochs } from './epochs/known-epochs.use-case.ts';
import { makeManageEpochs, type ManageEpochs } from './epochs/manage-epochs.use-case.ts';
import { makeIndexShard } from './indexer/index-shard.worker.ts';
import { makeQueueBell } from './indexer/queue-bell.ts';
import { watchHeads } from './indexer/watch-heads.use-case.ts';
import type { QueueName } from './queues/queue-element.ts';
import { documentShard } from './queues/shard-of-document.ts';
import { makeConsumeDocuments } from './receiver/consume-documents.use-case.ts';
import { makeReceiveDocuments, type ReceiveDocuments } from './receiver/receive-documents.use-case.ts';
import { refusalsOf } from './receiver/refusals-of.ts';
import { makeLocateDocument, type LocateDocument } from './registry/locate-document.use-case.ts';
import { openProcessRegistry } from './registry/process-registry.store.ts';
import type { Lane } from './registry/registry-row.ts';
import { makeGetDocuments, type GetDocuments } from './searcher/get-documents.use-case.ts';
import { makeScanRegistry, type ScanRegistry } from './searcher/registry-scan.use-case.ts';
import type { EngineSource } from './searcher/engine-source.port.ts';
import { makeSearcher, type Searcher } from './searcher/searcher.use-case.ts';
import type { VasgenSettings } from './settings.ts';
import { makeExpireDocuments } from './upkeep/expire-documents.use-case.ts';
import { makeRepairQueues, type RepairQueues } from './upkeep/repair-queues.use-case.ts';
import { makeUpkeepShard } from './upkeep/upkeep-shard.worker.ts';
import type { VasgenCodecs } from './vasgen-codecs.port.ts';
import type { VasgenStores } from './vasgen-stores.port.ts';

/** What indexing needs from outside. */
export type VasgenPorts = {
  readonly stores: VasgenStores;
  readonly codecs: VasgenCodecs;
  readonly log: MessageLog;
  /** Of the archive: its segments, and what its sweep remembers. */
  readonly blobs: BlobStore;
  readonly storage: GenericStorage;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
};
export type VasgenUseCases = {
  readonly receiveDocuments: ReceiveDocuments;
  readonly epochs: ManageEpochs;
  readonly getDocuments: GetDocuments;
  readonly scanRegistry: ScanRegistry;
  readonly repairQueues: RepairQueues;
  readonly locateDocument: LocateDocument;
  readonly archive: ReadArchive;
  readonly scrubArchive: ScrubArchive;
};
export type VasgenWorkers = {
  /** Handlers of `vasgen-indexer` (lane `main`) and `vasgen-indexer-bulk` (lane `bulk`). */
  readonly consumeDocuments: (lane: Lane) => RecordHandler;
  /** Each runs on leased shards, `settings.shards` of them, for each client and queue. */
  readonly indexShard: (client: ClientName, queue: QueueName) => ShardWork;
  /** The handler of a client's index topic, in a group of its own. */
  readonly archiveTopic: (client: ClientName) => BatchHandler;
  /** Take erased documents out of the archive, and delete segments that no row names. */
  readonly archiveJobs: readonly JobSpec[];
  /** Runs on leased shards, for each client. */
  readonly upkeepShard: (client: ClientName) => ShardWork;
  /** Wakes the indexers of this process when other processes write. Ends with the signal. */
  readonly watchQueue: (client: ClientName, queue: QueueName, signal: AbortSignal) => Promise<void>;
};
/** The indexing of one process. */
export type Vasgen = {
  readonly useCases: VasgenUseCases;
  readonly workers: VasgenWorkers;
  /** A searcher of this process: an engine with an index for each living epoch of every client. `id` names it in answers. */
  openSearcher(needs: {
    readonly id: string;
    readonly engines: EngineSource;
    readonly blocked: Pick<BlockedPartitions, 'blocked' | 'freed'>;
  }): Searcher;
  /** Makes the configured clients. Call it before anything else. */
  prepare(): Promise<Result<void, ShardsMismatch | Unavailable>>;
  /** Commits what waits. Call it after the last use case and worker have ended. */
  close(): Promise<void>;
};

/** Opens indexing. It owns the grouping of commits: open it once in a process. */
export const openVasgen = (ports: VasgenPorts, settings: VasgenSettings): Vasgen => {
  const { stores, codecs, log, blobs, storage, ids, clock, random, telemetry } = ports;
  const { registry, queues, refusals, searchers } = stores;
  const bell = makeQueueBell();
  const process = openProcessRegistry(registry, { clock, ...settings.commit });
  const epochs = makeKnownEpochs(stores.epochs, clock, settings.epochsKeptMs);
  const received = telemetry.metrics.counter({
    name: 'doska_vasgen_received_total',
    help: 'Documents that were received, by verdict.',
    labels: ['client', 'lane', 'verdict'],
  });
  const receive = makeReceiveDocuments({
    registry,
    process,
    epochs,
    codec: codecs.document,
    clock,
    random,
    settings,
  });
  /** Counts and remembers refusals, and wakes the indexers of this process. */
  const receiveDocuments: ReceiveDocuments = async (client, documents, lane) => {
    const outcome = await receive(client, documents, lane);
    if (outcome.isErr()) return outcome;
    bell.ring(client, lane, new Set(documents.map(({ pk }) => documentShard(pk, settings.shards))));
    for (const verdict of outcome.value) {
      const isConflict = verdict.kind === 'duplicate' && verdict.conflict;
      received.add(1, { client, lane, verdict: isConflict ? 'conflict' : verdict.kind });
    }
    const refused = refusalsOf(documents, outcome.value, clock.nowMs());
    if (refused.length > 0) {
      const added = await refusals.add(client, refused);
      if (added.isErr()) telemetry.logger.warn('refusals were not stored', { client, error: added.error });
    }
    return outcome;
  };
  const awaitCaughtUp = makeAwaitCaughtUp({
    queues,
    searchers,
    log,
    clock,
    settings: { ...settings.promotion, group: settings.indexer.group },
  });
  const scrubArchive = makeScrubArchive({
    manifest: stores.archive,
    blobs,
    segments: codecs.segment,
    records: codecs.indexed,
    ids,
    clock,
    erasuresKeptMs: settings.archive.erasuresKeptMs,
  });
  const expireDocuments = makeExpireDocuments({ registry, process, clock });
  return {
    useCases: {
      receiveDocuments,
      epochs: makeManageEpochs(stores.epochs, epochs, awaitCaughtUp),
      getDocuments: makeGetDocuments({ registry, epochs, documents: codecs.document }),
      scanRegistry: makeScanRegistry({ registry }),
      repairQueues: makeRepairQueues({
        queues,
        registry,
        epochs,
        documents: codecs.document,
        bell,
        shards: settings.shards,
      }),
      locateDocument: makeLocateDocument({
        registry,
        queues,
        refusals,
        epochs,
        shards: settings.shards,
        group: settings.indexer.group,
      }),
      archive: makeReadArchive({
        manifest: stores.archive,
        blobs,
        segments: codecs.segment,
        records: codecs.indexed,
        batches: codecs.batch,
        epochs,
        log,
        clock,
        horizonMs: settings.horizonMs,
      }),
      scrubArchive,
    },
    openSearcher: ({ id, engines, blocked }) =>
      makeSearcher({
        id,
        engines,
        blocked,
        epochs,
        registry,
        searchers,
        log,
        documents: codecs.document,
        records: codecs.indexed,
        clock,
        random,
        telemetry,
        settings: { ...settings.searcher, clients: settings.clients },
      }),
    workers: {
      consumeDocuments: (lane) =>
        makeConsumeDocuments(
          { receiveDocuments, log, batches: codecs.batch, rejected: codecs.rejected },
          lane,
        ),
      indexShard: (client, queue) =>
        makeIndexShard(
          {
            queues,
            epochs,
            bell,
            log,
            documents: codecs.document,
            records: codecs.indexed,
            clock,
            random,
            telemetry,
            settings: settings.indexer,
          },
          client,
          queue,
        ),
      archiveTopic: (client) =>
        makeArchiveTopic(
          {
            manifest: stores.archive,
            blobs,
            segments: codecs.segment,
            ids,
            clock,
            telemetry,
            settings: settings.archive,
          },
          client,
        ),
      archiveJobs: archiveJobs({
        manifest: stores.archive,
        blobs,
        storage,
        clock,
        scrubArchive,
        clients: settings.clients,
        settings: settings.archive,
        metrics: telemetry.metrics,
      }),
      upkeepShard: (client) =>
        makeUpkeepShard(
          {
            expireDocuments,
            registry,
            epochs,
            queues,
            refusals,
            searchers,
            clock,
            telemetry,
            settings: { ...settings.upkeep, horizonMs: settings.horizonMs },
          },
          client,
        ),
      watchQueue: (client, queue, signal) =>
        watchHeads(
          { queues, bell, clock, logger: telemetry.logger, everyMs: settings.headsEveryMs[queue] },
          client,
          queue,
          signal,
        ),
    },
    prepare: async () => {
      for (const client of settings.clients) {
        const made = await stores.epochs.ensureClient(client, settings.shards);
        if (made.isErr()) return err(made.error);
      }
      return ok(undefined);
    },
    close: () => process.close(),
  };
};

import type { ResultAsync } from 'neverthrow';
import type { CatalogCache } from '../catalog/index.ts';
import type { OfferView } from '../gost/index.ts';
import {
  deadTopicOf,
  limitRepeats,
  unavailable,
  type BatchHandler,
  type Clock,
  type Codec,
  type DeadLetter,
  type Delivered,
  type GenericStorage,
  type JobSpec,
  type LogPublisher,
  type Random,
  type RecordHandler,
  type Telemetry,
  type Unavailable,
} from '../kernel/index.ts';
import type { QualifiedBatch, RejectedDocument } from '../vasgen/index.ts';
import type { OfferCard } from './cards/offer-card.ts';
import { ctrRecord, hourlyRecord } from './ctr/ctr-record.store.ts';
import { makeReadCtrStatus, type ReadCtrStatus } from './ctr/ctr-status.use-case.ts';
import type { CtrStores } from './ctr/ctr-stores.port.ts';
import { ctrJobs } from './ctr/ctr.jobs.ts';
import { makeLoadHourly, type LoadHourly } from './ctr/load-hourly.use-case.ts';
import { makeLoadRates, type LoadRates } from './ctr/load-rates.use-case.ts';
import { makePurgeRates } from './ctr/purge-rates.use-case.ts';
import { makeReadRates } from './ctr/read-rates.use-case.ts';
import { makeResendOffers } from './ctr/resend-offers.use-case.ts';
import type { TableSource } from './ctr/table-source.port.ts';
import type { ClickCountStore } from './events/click-counts.port.ts';
import { makeConsumeEvents } from './events/consume-events.worker.ts';
import { eventTables } from './events/event-tables.use-case.ts';
import { eventUpkeepJob } from './events/event-upkeep.job.ts';
import type { SearchEvents } from './events/search-event.ts';
import type { IndexEpochs } from './document/index-epochs.port.ts';
import type { OfferSource } from './document/offer-source.port.ts';
import { makeConsumeRejected } from './parking/consume-rejected.worker.ts';
import { makeParkedOffers, makePublishOrPark, type ParkedOffers } from './parking/parked-offers.use-case.ts';
import type { ParkingLot } from './parking/parking-lot.port.ts';
import { parkingJob } from './parking/parking.job.ts';
import { makePublishBulk } from './parking/publish-bulk.use-case.ts';
import { auditJob } from './reindex/audit.job.ts';
import type { IndexedOffers } from './reindex/indexed-offers.port.ts';
import { makeReindexOffers, type ReindexOffers } from './reindex/reindex-offers.use-case.ts';
import { makeComposeDocuments } from './scheduler/compose-documents.use-case.ts';
import { makeDeclaredEpochs } from './scheduler/declared-epochs.use-case.ts';
import { makeKeepDeclared } from './scheduler/keep-declared.use-case.ts';
import { makeScheduleOffers } from './scheduler/schedule-offers.worker.ts';
import type { SearchSettings } from './settings.ts';

export type SchedulerPorts = {
  readonly catalog: Pick<CatalogCache, 'copy' | 'atLeast'>;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  readonly epochs: IndexEpochs;
  readonly offers: OfferSource;
  readonly indexed: IndexedOffers;
  readonly lot: ParkingLot;
  readonly ctr: CtrStores;
  readonly clicks: ClickCountStore;
  /** Where tables of click rates come from. Undefined: from search events, if these are on; otherwise by command only. */
  readonly tables: TableSource | undefined;
  readonly storage: GenericStorage;
  readonly log: LogPublisher;
  readonly random: Random;
  readonly codecs: {
    readonly view: Codec<OfferView>;
    readonly batch: Codec<QualifiedBatch>;
    readonly card: Codec<OfferCard>;
    readonly deadLetter: Codec<DeadLetter>;
    readonly rejected: Codec<RejectedDocument>;
    readonly events: Codec<SearchEvents>;
  };
  /** Partitions of the topic of live documents. */
  readonly partitions: number;
};
/** What turns offers into documents. */
export type SearchScheduler = {
  /** Handles batches of `gost-offer-updates`. */
  readonly scheduleOffers: BatchHandler;
  /** Offers that are retried apart from their partitions. */
  readonly parking: Pick<ParkedOffers, 'list' | 'park' | 'unpark'>;
  readonly parkingJob: JobSpec;
  /** Compares the serving index with the offer store, a little in each run. */
  readonly auditJob: JobSpec | undefined;
  /** Handles records of `vasgen-rejected`. */
  readonly consumeRejected: RecordHandler;
  /** Handles records of `search-events`. */
  readonly consumeEvents: RecordHandler;
  /** One slice of re-indexing or of an audit. */
  readonly reindexOffers: ReindexOffers;
  /** Takes tables of click rates from callers. */
  readonly appendRates: LoadRates['append'];
  readonly appendHourly: LoadHourly['append'];
  readonly ctrStatus: ReadCtrStatus;
  /** Loads tables, sends offers again, deletes old rates and counts. */
  readonly ctrJobs: readonly JobSpec[];
  /** Gives every living epoch the fields of the newest catalogue, so that queries work before the first offer. Ends with the signal. */
  readonly keepDeclared: (signal: AbortSignal) => Promise<void>;
};

export const openSearchScheduler = (ports: SchedulerPorts, settings: SearchSettings): SearchScheduler => {
  const { catalog, offers, log, codecs, clock, random, telemetry, partitions, storage } = ports;
  const { ctr } = settings;
  const record = ctrRecord(storage);
  const remembered = hourlyRecord(storage);
  const epochs = makeDeclaredEpochs({
    epochs: ports.epochs,
    ranking: settings.ranking,
    keptMs: settings.epochsKeptMs,
    clock,
    logger: telemetry.logger,
  });
  const compose = makeComposeDocuments({
    catalog,
    epochs,
    clickRates: makeReadRates({ record, rates: ports.ctr.rates, clock, graceMs: ctr.graceMs }),
    cards: codecs.card,
    rates: settings.rates,
    clock,
    telemetry,
  });
  const deadLetter = (record: Delivered, reason: string): ResultAsync<void, Unavailable> => {
    const { position, key, value, headers } = record;
    const letter: DeadLetter = {
      position,
      key,
      value,
      headers,
      reason,
      attempts: 1,
      failedAtMs: clock.nowMs(),
    };
    telemetry.logger.error('a record is no offer update and became a dead letter', { key, reason, position });
    return log
      .publish([
        { topic: deadTopicOf(position.topic), key, value: codecs.deadLetter.encode(letter), headers },
      ])
      .mapErr((error) => (error.kind === 'Unavailable' ? error : unavailable('dead letter', error)));
  };
  const failures = limitRepeats(telemetry.logger, clock);
  const { logger, metrics } = telemetry;
  const { sliceRows } = ctr;
  const publishBulk = makePublishBulk({ log, batches: codecs.batch, limits: settings.batch });
  const parking = makeParkedOffers({
    lot: ports.lot,
    offers,
    compose,
    publish: publishBulk,
    clock,
    random,
    logger,
    metrics,
    settings: settings.parking,
  });
  const publish = makePublishOrPark(publishBulk, parking);
  const loadRates = makeLoadRates({
    record,
    rates: ports.ctr.rates,
    clock,
    logger,
    sliceRows,
    abandonedMs: ctr.abandonedMs,
  });
  const loadHourly = makeLoadHourly({
    remembered,
    queue: ports.ctr.queue,
    clock,
    logger,
    sliceRows,
    rememberedMs: ctr.rememberedMs,
  });
  const tablesOfEvents = eventTables({ counts: ports.clicks, clock, settings: settings.events });
  const reindexOffers = makeReindexOffers({
    offers,
    indexed: ports.indexed,
    epochs,
    compose,
    catalog,
    publish,
    clock,
  });
  return {
    appendRates: loadRates.append,
    appendHourly: loadHourly.append,
    ctrStatus: makeReadCtrStatus({ record, remembered, queue: ports.ctr.queue }),
    ctrJobs: [
      eventUpkeepJob({ counts: ports.clicks, clock, settings: settings.events }),
      ...ctrJobs({
        source: ports.tables ?? (settings.events.isOn ? tablesOfEvents : undefined),
        loadRates,
        loadHourly,
        resendOffers: makeResendOffers({
          queue: ports.ctr.queue,
          offers,
          compose,
          publish,
          logger: failures,
          metrics,
        }),
        purgeRates: makePurgeRates({
          record,
          remembered,
          stores: ports.ctr,
          clock,
          graceMs: ctr.graceMs,
          rememberedMs: ctr.rememberedMs,
        }),
        metrics,
        times: ctr,
      }),
    ],
    reindexOffers,
    auditJob:
      settings.audit &&
      auditJob({ reindexOffers, epochs, storage, clock, logger, metrics, settings: settings.audit }),
    keepDeclared: makeKeepDeclared({
      catalog,
      epochs,
      clock,
      logger: failures,
      everyMs: settings.epochsKeptMs,
    }),
    parking,
    consumeRejected: makeConsumeRejected({
      rejected: codecs.rejected,
      parking,
      epochs,
      retryMs: settings.retry.firstMs,
    }),
    consumeEvents: makeConsumeEvents({
      codec: codecs.events,
      counts: ports.clicks,
      clock,
      metrics,
      rememberedMs: settings.events.rememberedMs,
      retryMs: settings.retry.firstMs,
    }),
    parkingJob: parkingJob(parking, settings.parking.everyMs),
    scheduleOffers: makeScheduleOffers({
      compose,
      offers,
      parking,
      views: codecs.view,
      batches: codecs.batch,
      log,
      partitions,
      deadLetter: async (record, reason) => deadLetter(record, reason),
      clock,
      random,
      telemetry,
      settings,
    }),
  };
};

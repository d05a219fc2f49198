import type { ResultAsync } from 'neverthrow';
import type { CatalogCache } from '../catalog/index.ts';
import type { OfferView } from '../gost/index.ts';
import {
  deadTopicOf,
  limitRepeats,
  sleep,
  unavailable,
  type BatchHandler,
  type Clock,
  type Codec,
  type DeadLetter,
  type Delivered,
  type GenericStorage,
  type JobSpec,
  type LogPublisher,
  type LogRecord,
  type Random,
  type Telemetry,
  type Unavailable,
} from '../kernel/index.ts';
import { BULK_TOPIC, documentBytes, type QualifiedBatch, type RawDocument } from '../vasgen/index.ts';
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
import type { IndexEpochs } from './document/index-epochs.port.ts';
import type { OfferSource } from './document/offer-source.port.ts';
import type { IndexedOffers } from './reindex/indexed-offers.port.ts';
import { makeReindexOffers, type ReindexOffers } from './reindex/reindex-offers.use-case.ts';
import { makeComposeDocuments } from './scheduler/compose-documents.use-case.ts';
import { makeDeclaredEpochs } from './scheduler/declared-epochs.use-case.ts';
import { makeScheduleOffers, OFFERS_CLIENT } from './scheduler/schedule-offers.worker.ts';
import type { SearchSettings } from './settings.ts';

export type SchedulerPorts = {
  readonly catalog: Pick<CatalogCache, 'copy' | 'atLeast'>;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  readonly epochs: IndexEpochs;
  readonly offers: OfferSource;
  readonly indexed: IndexedOffers;
  readonly ctr: CtrStores;
  /** Where tables of click rates come from. Undefined: by command only. */
  readonly tables: TableSource | undefined;
  readonly storage: GenericStorage;
  readonly log: LogPublisher;
  readonly random: Random;
  readonly codecs: {
    readonly view: Codec<OfferView>;
    readonly batch: Codec<QualifiedBatch>;
    readonly card: Codec<OfferCard>;
    readonly deadLetter: Codec<DeadLetter>;
  };
  /** Partitions of the topic of live documents. */
  readonly partitions: number;
};
/** What turns offers into documents. */
export type SearchScheduler = {
  /** Handles batches of `gost-offer-updates`. */
  readonly scheduleOffers: BatchHandler;
  /** One slice of re-indexing or of an audit. */
  readonly reindexOffers: ReindexOffers;
  /** Takes tables of click rates from callers. */
  readonly appendRates: LoadRates['append'];
  readonly appendHourly: LoadHourly['append'];
  readonly ctrStatus: ReadCtrStatus;
  /** Loads tables, sends offers again, deletes old rates. */
  readonly ctrJobs: readonly JobSpec[];
  /** Gives every living epoch the fields of the newest catalogue, so that queries work before the first offer. Ends with the signal. */
  readonly keepDeclared: (signal: AbortSignal) => Promise<void>;
};

/** How soon a declaration that failed, or that waits for the catalogue, is tried again. */
const DECLARE_AGAIN_MS = 200;

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
  /** Re-indexed documents go apart from live ones, in batches of the same size. */
  const publishBulk = (documents: readonly RawDocument[]): ReturnType<LogPublisher['publish']> => {
    const records: LogRecord[] = [];
    for (let from = 0, to = 0; from < documents.length; from = to) {
      for (let bytes = 0; to < documents.length && to - from < settings.batch.documentsMax; to++) {
        bytes += documentBytes(documents[to]!);
        if (to > from && bytes > settings.batch.bytesMax) break;
      }
      const some = documents.slice(from, to);
      const value = codecs.batch.encode({ client: OFFERS_CLIENT, documents: some });
      records.push({ topic: BULK_TOPIC, key: some[0]!.pk, value });
    }
    return log.publish(records);
  };
  const failures = limitRepeats(telemetry.logger, clock);
  const { logger, metrics } = telemetry;
  const { sliceRows } = ctr;
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
  return {
    appendRates: loadRates.append,
    appendHourly: loadHourly.append,
    ctrStatus: makeReadCtrStatus({ record, remembered, queue: ports.ctr.queue }),
    ctrJobs: ctrJobs({
      source: ports.tables,
      loadRates,
      loadHourly,
      resendOffers: makeResendOffers({
        queue: ports.ctr.queue,
        offers,
        compose,
        publish: publishBulk,
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
    reindexOffers: makeReindexOffers({
      offers,
      indexed: ports.indexed,
      epochs,
      compose,
      catalog,
      publish: publishBulk,
      clock,
    }),
    keepDeclared: async (signal) => {
      while (!signal.aborted) {
        const copy = catalog.copy();
        const declared = copy.isOk() ? await epochs.declared(copy.value.catalog) : undefined;
        if (declared?.isErr())
          failures.warn('the fields of offers can not be declared', { error: declared.error });
        await sleep(
          clock,
          copy.isOk() && declared?.isOk() ? settings.epochsKeptMs : DECLARE_AGAIN_MS,
          signal,
        );
      }
    },
    scheduleOffers: makeScheduleOffers({
      compose,
      offers,
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

import { okAsync, type ResultAsync } from 'neverthrow';
import type { CatalogCache } from '../catalog/index.ts';
import type { OfferView } from '../gost/index.ts';
import {
  deadTopicOf,
  limitRepeats,
  makePageTokens,
  sleep,
  unavailable,
  type BatchHandler,
  type Clock,
  type Codec,
  type DeadLetter,
  type Delivered,
  type LogPublisher,
  type LogRecord,
  type Random,
  type Signer,
  type Telemetry,
  type Unavailable,
} from '../kernel/index.ts';
import {
  BULK_TOPIC,
  documentBytes,
  type Analyzer,
  type QualifiedBatch,
  type RawDocument,
} from '../vasgen/index.ts';
import type { OfferCard } from './cards/offer-card.ts';
import { makeReadCards } from './cards/read-cards.use-case.ts';
import type { ClickRates } from './ctr/click-rates.port.ts';
import {
  makeExplainFilter,
  makeGetFilters,
  type ExplainFilter,
  type GetFilters,
} from './filters/ask-filters.use-case.ts';
import type { IndexEpochs } from './document/index-epochs.port.ts';
import type { OfferSource } from './document/offer-source.port.ts';
import { makeAskIndex } from './query/ask-index.use-case.ts';
import { makeExplainOffer, type ExplainOffer } from './query/explain-offer.use-case.ts';
import { makeReadSnippets } from './query/read-snippets.use-case.ts';
import type { SearchIndex } from './query/search-index.port.ts';
import type { SnippetSource } from './query/snippet-source.port.ts';
import { makeSearchOffers, type SearchOffers } from './query/search-offers.use-case.ts';
import { makeComposeDocuments } from './scheduler/compose-documents.use-case.ts';
import { makeDeclaredEpochs } from './scheduler/declared-epochs.use-case.ts';
import type { IndexedOffers } from './reindex/indexed-offers.port.ts';
import { makeReindexOffers, type ReindexOffers } from './reindex/reindex-offers.use-case.ts';
import { makeScheduleOffers, OFFERS_CLIENT } from './scheduler/schedule-offers.worker.ts';
import { keepDictionary } from './spelling/keep-dictionary.use-case.ts';
import { correctText, type SpellChecker } from './spelling/spell-checker.ts';
import { makeSuggest, type Suggest } from './suggest/suggest.use-case.ts';
import type { SearchSettings } from './settings.ts';

type Common = {
  readonly catalog: Pick<CatalogCache, 'copy' | 'atLeast'>;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
};
export type SearchApiPorts = Common & {
  readonly index: SearchIndex;
  readonly analyzer: Pick<Analyzer, 'terms' | 'words'>;
  readonly signer: Signer;
  readonly cards: Codec<OfferCard>;
  /** Undefined: answers have no snippets. */
  readonly snippets?: SnippetSource;
};
/** What buyers ask. */
export type SearchApi = {
  readonly searchOffers: SearchOffers;
  readonly getFilters: GetFilters;
  readonly explainFilter: ExplainFilter;
  readonly suggest: Suggest;
  readonly explainOffer: ExplainOffer;
  /** Keeps the words of the spell checker fresh until the signal. */
  readonly keepDictionary: (signal: AbortSignal) => Promise<void>;
};

/** Opens the search API of one process. */
export const openSearchApi = (ports: SearchApiPorts, settings: SearchSettings): SearchApi => {
  const { index, catalog, cards, analyzer, signer, clock, telemetry } = ports;
  const dictionary = keepDictionary({
    index,
    analyzer,
    clock,
    telemetry,
    everyMs: settings.dictionaryEveryMs,
  });
  const spelling: SpellChecker = {
    correct: (text, known) => {
      const words = dictionary.current();
      return words && correctText(text, { analyzer, dictionary: words, catalog: known });
    },
  };
  const tokens = makePageTokens(signer);
  const askIndex = makeAskIndex({ spelling, index, catalog, analyzer, clock, settings, tokens });
  const readCards = makeReadCards({ index, cards, bytesMax: settings.cardBytesMax });
  return {
    keepDictionary: dictionary.keep,
    suggest: makeSuggest({
      index,
      catalog,
      readCards,
      analyzer,
      clock,
      settings,
      prefixes: () => dictionary.current()?.prefixes,
    }),
    searchOffers: makeSearchOffers({
      askIndex,
      index,
      analyzer,
      telemetry,
      settings,
      tokens,
      readCards,
      readSnippets: makeReadSnippets(ports.snippets),
    }),
    getFilters: makeGetFilters({ catalog, settings }),
    explainFilter: makeExplainFilter({ catalog, askIndex, settings }),
    explainOffer: makeExplainOffer({ askIndex, index }),
  };
};

export type SchedulerPorts = Common & {
  readonly epochs: IndexEpochs;
  readonly offers: OfferSource;
  readonly indexed: IndexedOffers;
  readonly clickRates: ClickRates;
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
  /** Gives every living epoch the fields of the newest catalogue, so that queries work before the first offer. Ends with the signal. */
  readonly keepDeclared: (signal: AbortSignal) => Promise<void>;
};

/** No click rates are loaded: every offer is ranked without them. */
export const noClickRates: ClickRates = { of: () => okAsync({ ctr: undefined, epochMs: 0 }) };

/** How soon a declaration that failed, or that waits for the catalogue, is tried again. */
const DECLARE_AGAIN_MS = 200;

export const openSearchScheduler = (ports: SchedulerPorts, settings: SearchSettings): SearchScheduler => {
  const { catalog, offers, clickRates, log, codecs, clock, random, telemetry, partitions } = ports;
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
    clickRates,
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
  return {
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

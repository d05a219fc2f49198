import type { Backoff } from '../kernel/index.ts';
import type { ClientName } from './document/raw-document.ts';
import { indexTopic } from './document/indexed-document.ts';
import { defaultDocumentLimits, type DocumentLimits } from './document/document-rules.ts';
import type { QueueName } from './queues/queue-element.ts';
import type { ArchiveSettings } from './archive/archive-topic.worker.ts';
import type { PromotionSettings } from './epochs/await-caught-up.use-case.ts';
import type { IndexerSettings } from './indexer/index-shard.worker.ts';
import type { SearcherSettings } from './searcher/searcher.use-case.ts';

const DAY_MS = 86_400_000;

export type VasgenSettings = {
  readonly clients: readonly ClientName[];
  /** Shards of each queue of a client. The number is stored, and a start with another one is refused. */
  readonly shards: number;
  readonly limits: DocumentLimits;
  /** How long deletions are remembered. */
  readonly horizonMs: number;
  /** How old the known epochs of a client may be. */
  readonly epochsKeptMs: number;
  /** Grouping of commits in a process. */
  readonly commit: { readonly lingerMs: number; readonly writesMax: number; readonly waitingMax: number };
  /** Commits of the receiver; then a document is `unavailable`. */
  readonly retry: Backoff;
  readonly indexer: IndexerSettings;
  /** How often the heads of each queue are looked at for what other processes have written. */
  readonly headsEveryMs: Readonly<Record<QueueName, number>>;
  readonly searcher: Omit<SearcherSettings, 'clients'>;
  readonly archive: ArchiveSettings;
  readonly promotion: Omit<PromotionSettings, 'group'>;
  readonly upkeep: {
    readonly everyMs: number;
    readonly slice: number;
    readonly elementsKeptMs: number;
    readonly refusalsKeptMs: number;
    readonly searchersKeptMs: number;
  };
};

export const defaultVasgenSettings: VasgenSettings = {
  clients: ['offers' as ClientName],
  shards: 16,
  limits: defaultDocumentLimits,
  horizonMs: 30 * DAY_MS,
  epochsKeptMs: 2_000,
  commit: { lingerMs: 1, writesMax: 500, waitingMax: 20_000 },
  retry: { firstMs: 20, factor: 2, maxMs: 1_000, jitter: 0.5, attemptsMax: 5 },
  indexer: {
    group: 'indexer',
    batch: 500,
    idleMs: 10_000,
    rates: { main: undefined, bulk: 2_000, emergency: 200, failed: 20 },
    attemptsMax: 5,
    retry: { firstMs: 50, factor: 2, maxMs: 30_000, jitter: 0.5 },
    topicsOf: (client) => [indexTopic(client)],
  },
  headsEveryMs: { main: 100, bulk: 500, emergency: 500, failed: 2_000 },
  searcher: { epochsEveryMs: 2_000, retry: { firstMs: 100, factor: 2, maxMs: 30_000, jitter: 0.5 } },
  archive: {
    segmentRecords: 5_000,
    segmentBytes: 4 << 20,
    lingerMs: 60_000,
    retryMs: 5_000,
    erasuresKeptMs: 30 * DAY_MS,
    scrubEveryMs: 3_600_000,
    sweepEveryMs: 6 * 3_600_000,
    graceMs: DAY_MS,
  },
  promotion: { waitMs: 20_000, pollMs: 200, searcherLiveMs: 30_000 },
  upkeep: {
    everyMs: 5_000,
    slice: 500,
    elementsKeptMs: DAY_MS,
    refusalsKeptMs: 7 * DAY_MS,
    searchersKeptMs: DAY_MS,
  },
};

import type { Result } from 'neverthrow';
import type { Catalog, CatalogNotLoaded } from '../catalog/index.ts';
import type { Backoff, Clock, Random } from '../kernel/index.ts';
import type { DecisionContext } from './offer/step.ts';
import type { FeedGuard } from './autoload/message-order.ts';
import { defaultOfferLimits, type OfferLimits } from './offer/validation.ts';

export type ArchiveSettings = {
  /** How long an offer is expired, sold or removed before it is archived. Undefined: never. */
  readonly afterUs: number | undefined;
  /** A segment holds at most so many offers (1000 at most) and bytes; a larger offer gets a segment of its own. */
  readonly batch: number;
  readonly segmentBytes: number;
  /** How often a shard is searched for due offers. */
  readonly everyMs: number;
  /** Archived offers that one call reads at the same time. */
  readonly readsMax: number;
  /** How often unused segments are searched for, and how long a segment must be unused before it is deleted. */
  readonly sweepEveryMs: number;
  readonly graceMs: number;
};
export type ExportSettings = {
  /** Records that are published, and then deleted from the queue, together. */
  readonly batch: number;
  /**
   * How many batches one read of the queue may bring, within `aheadBytes`. Reads are expensive while another transaction
   * holds an old snapshot.
   */
  readonly readAhead: number;
  readonly aheadBytes: number;
  /** The longest pause after an empty read. A commit of this process ends it. */
  readonly idleMs: number;
  readonly retry: Backoff;
};
export type CommitSettings = {
  /** How long a change waits for others to be committed with it. */
  readonly lingerMs: number;
  /** Groups that are committed at the same time. */
  readonly groupsMax: number;
  /** Memory for recently used offers, in bytes; 0 remembers none. */
  readonly memoryBytes: number;
};
export type GostSettings = {
  readonly limits: OfferLimits;
  /** How long an offer is active before it expires. */
  readonly lifetimeUs: number;
  /** How long an anonymous draft is kept, and how long a published draft is remembered. */
  readonly anonymousDraftUs: number;
  readonly publishedDraftUs: number;
  /** How long a banned offer that its feed dropped gets its old id when it returns. */
  readonly bannedRowUs: number;
  readonly feedGuard: FeedGuard;
  /** Shards of the export queue. The first start fixes the number. */
  readonly shards: number;
  /** Rows that a seller's totals are spread over. */
  readonly stripes: number;
  /** How often a change is decided again after a conflict or a lost answer. */
  readonly retry: Backoff;
  readonly commit: CommitSettings;
  readonly export: ExportSettings;
  readonly archive: ArchiveSettings;
  /** How often a shard is searched for offers that have expired. */
  readonly expireEveryMs: number;
  /** How often counts are audited, and how many lists each time. */
  readonly audit: { readonly everyMs: number; readonly lists: number };
  /** Offers per second that one scan may read. */
  readonly scanRatePerSecond: number;
  /** Reads of the store that all scans of a process make at the same time. The other connections are for writers. */
  readonly scanReads: number;
  /** The largest state that a stage may keep for one offer. */
  readonly stageBytesMax: number;
};
const DAY_US = 24 * 3_600 * 1_000_000;
export const defaultGostSettings: GostSettings = {
  limits: defaultOfferLimits,
  lifetimeUs: 30 * DAY_US,
  anonymousDraftUs: 30 * DAY_US,
  publishedDraftUs: 7 * DAY_US,
  bannedRowUs: 90 * DAY_US,
  feedGuard: { shareMax: 0.5, offersMin: 20 },
  shards: 16,
  stripes: 10,
  retry: { firstMs: 5, factor: 2, maxMs: 500, jitter: 0.5, attemptsMax: 8 },
  commit: { lingerMs: 2, groupsMax: 2, memoryBytes: 128 << 20 },
  export: {
    batch: 500,
    readAhead: 4,
    aheadBytes: 8 << 20,
    idleMs: 50,
    retry: { firstMs: 50, factor: 2, maxMs: 5_000, jitter: 0.3 },
  },
  archive: {
    afterUs: 180 * DAY_US,
    batch: 500,
    segmentBytes: 4 << 20,
    everyMs: 60_000,
    readsMax: 8,
    sweepEveryMs: 21_600_000,
    graceMs: 86_400_000,
  },
  expireEveryMs: 5_000,
  audit: { everyMs: 60_000, lists: 100 },
  scanRatePerSecond: 20_000,
  scanReads: 2,
  stageBytesMax: 64 << 10,
};

/** What every decision needs from outside. */
export type DecidingNeeds = {
  readonly catalog: () => Result<Catalog, CatalogNotLoaded>;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: GostSettings;
};
export const nowUsOf = (clock: Clock): number => clock.nowMs() * 1_000;
export const contextOf = (catalog: Catalog, { clock, random, settings }: DecidingNeeds): DecisionContext => ({
  nowUs: nowUsOf(clock),
  catalog,
  limits: settings.limits,
  lifetimeUs: settings.lifetimeUs,
  shards: settings.shards,
  stripe: random.below(settings.stripes),
});

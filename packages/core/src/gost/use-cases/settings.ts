import type { Result } from 'neverthrow';
import type { Catalog, CatalogNotLoaded } from '../../catalog/index.ts';
import type { Backoff, Clock, Random } from '../../kernel/index.ts';
import type { DecisionContext } from '../domain/step.ts';
import type { FeedGuard } from '../domain/feed-order.ts';
import { defaultOfferLimits, type OfferLimits } from '../domain/validation.ts';

export type ArchiveSettings = {
  /** How long an offer has been expired, sold or removed before it leaves the store. */
  readonly afterUs: number;
  /** What a segment holds: offers (1000 at most), and bytes, if it is more than one offer. */
  readonly batch: number;
  readonly segmentBytes: number;
};
export type GostSettings = {
  readonly limits: OfferLimits;
  readonly lifetimeUs: number;
  /** How long a draft waits for its visitor, and how long it is known what a draft became. */
  readonly anonymousDraftUs: number;
  readonly publishedDraftUs: number;
  /** How long a banned offer that its feed dropped gets its id back when it returns. */
  readonly bannedRowUs: number;
  readonly feedGuard: FeedGuard;
  readonly archive: ArchiveSettings;
  /** Of the export queue: settled when the store is first started. */
  readonly shards: number;
  /** Rows that a seller's totals are spread over. */
  readonly stripes: number;
  /** How often a lost race or a lost answer is tried again. */
  readonly retry: Backoff;
};
const DAY_US = 24 * 3_600 * 1_000_000;
export const defaultGostSettings: GostSettings = {
  limits: defaultOfferLimits,
  lifetimeUs: 30 * DAY_US,
  anonymousDraftUs: 30 * DAY_US,
  publishedDraftUs: 7 * DAY_US,
  bannedRowUs: 90 * DAY_US,
  feedGuard: { shareMax: 0.5, offersMin: 20 },
  archive: { afterUs: 180 * DAY_US, batch: 500, segmentBytes: 4 << 20 },
  shards: 16,
  stripes: 10,
  retry: { firstMs: 5, factor: 2, maxMs: 500, jitter: 0.5, attemptsMax: 8 },
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

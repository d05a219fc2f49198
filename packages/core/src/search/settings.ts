import type { Backoff } from '../kernel/index.ts';
import type { AuditSettings } from './reindex/audit.job.ts';
import type { CtrTimes } from './ctr/ctr.jobs.ts';
import type { Ranking } from './document/offer-fields.ts';
import type { Rates } from './document/price.ts';
import { defaultEventSettings, type EventSettings } from './events/search-event.ts';
import { defaultQueryLimits, type QueryLimits } from './query/search-query.ts';
import type { ParkingSettings } from './parking/parked-offers.use-case.ts';
import type { BatchLimits } from './scheduler/partition-machine.ts';

const DAY_MS = 86_400_000;

export type CtrSettings = CtrTimes & {
  /** Rows that are read and stored at once. */
  readonly sliceRows: number;
  /** The rates of a load are kept for so long after another became current: longer than any conversion takes. */
  readonly graceMs: number;
  /** Hourly tables are remembered for so long, because tables come late. */
  readonly rememberedMs: number;
  /** A load without progress for so long may be replaced by another table. */
  readonly abandonedMs: number;
};
export type SearchSettings = {
  readonly rates: Rates;
  readonly ranking: Ranking;
  readonly batch: BatchLimits;
  /** Between attempts to convert an offer that blocks its partition. */
  readonly retry: Backoff;
  /** How old the known epochs may be. */
  readonly epochsKeptMs: number;
  readonly parking: ParkingSettings;
  /** Undefined: no audit runs by itself. */
  readonly audit: AuditSettings | undefined;
  readonly ctr: CtrSettings;
  readonly events: EventSettings;
  readonly limits: QueryLimits;
  readonly coverageMin: number;
  readonly queryMs: number;
  /** Offers of one seller on a page of a ranked answer; 0: as many as there are. */
  readonly sellerOffersMax: number;
  /** The most time for the offers of a suggestion. */
  readonly suggestMs: number;
  /** The shortest time between two readings of the words for the spell checker. */
  readonly dictionaryEveryMs: number;
  /** Memory for cards of offers. */
  readonly cardBytesMax: number;
};
export const defaultSearchSettings: SearchSettings = {
  rates: { RUB: 1, USD: 80, EUR: 90, KZT: 0.15, BYN: 26 },
  ranking: { recencyWeight: 1, recencyHalfLifeMs: 14 * DAY_MS, ctrWeight: 2 },
  batch: { documentsMax: 200, bytesMax: 400_000, everyMs: 20 },
  retry: { firstMs: 200, factor: 2, maxMs: 30_000, jitter: 0.3 },
  epochsKeptMs: 2_000,
  parking: {
    afterMs: undefined,
    retry: { firstMs: 10_000, factor: 2, maxMs: 3_600_000, jitter: 0.2 },
    settleMs: 60_000,
    everyMs: 2_000,
  },
  audit: { everyMs: 60_000, walkMs: 7 * DAY_MS, repairs: true },
  ctr: {
    loadEveryMs: 60_000,
    resendEveryMs: 5_000,
    purgeEveryMs: 600_000,
    sliceRows: 1_000,
    graceMs: 600_000,
    rememberedMs: 2 * DAY_MS,
    abandonedMs: 600_000,
  },
  events: defaultEventSettings,
  limits: defaultQueryLimits,
  coverageMin: 1,
  queryMs: 1_000,
  sellerOffersMax: 0,
  suggestMs: 50,
  dictionaryEveryMs: 1_000,
  cardBytesMax: 64 << 20,
};

import { defaultGostSettings, type GostSettings } from '@doska/core/gost';
import type { GostConfig } from './tokens.ts';

const DAY_US = 86_400_000_000;
const MIB = 2 ** 20;

/** The settings of an installation over the defaults of the domain. */
export const gostSettingsOf = (config: GostConfig): GostSettings => ({
  ...defaultGostSettings,
  limits: {
    ...defaultGostSettings.limits,
    titleCharsMax: config.titleCharsMax,
    descriptionCharsMax: config.descriptionCharsMax,
    photosMax: config.photosMax,
    offerBytesMax: config.offerBytesMax,
    currencies: config.currencies.split(','),
  },
  lifetimeUs: config.offerDays * DAY_US,
  anonymousDraftUs: config.anonymousDraftDays * DAY_US,
  publishedDraftUs: config.publishedDraftDays * DAY_US,
  bannedRowUs: config.bannedFeedDays * DAY_US,
  feedGuard: { shareMax: config.feedGuardPercent / 100, offersMin: config.feedGuardOffers },
  commit: {
    lingerMs: config.commitLingerMs,
    groupsMax: config.commitGroups,
    memoryBytes: config.offerMemoryMb * MIB,
  },
  export: {
    ...defaultGostSettings.export,
    batch: config.exportBatch,
    readAhead: config.exportReadAhead,
  },
  archive: {
    afterUs: config.archiveDays === 0 ? undefined : config.archiveDays * DAY_US,
    batch: config.archiveBatch,
    segmentBytes: config.archiveSegmentBytes,
    everyMs: config.archiveEveryMs,
    readsMax: config.archiveReads,
    sweepEveryMs: config.archiveSweepMs,
    graceMs: config.archiveGraceMs,
  },
  expireEveryMs: config.expireEveryMs,
  audit: { everyMs: config.auditEveryMs, lists: config.auditLists },
  scanRatePerSecond: config.scanRate,
  scanReads: config.scanReads,
  stageBytesMax: config.stageBytesMax,
  shards: config.exportShards,
});

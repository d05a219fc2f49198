import { defaultVasgenSettings, type ClientName, type VasgenSettings } from '@doska/core/vasgen';
import type { VasgenConfig } from './tokens.ts';

/** The settings of this installation over the defaults of the domain. */
export const vasgenSettingsOf = (config: VasgenConfig): VasgenSettings => {
  const { limits, indexer, promotion, archive } = defaultVasgenSettings;
  return {
    ...defaultVasgenSettings,
    clients: config.clients as ClientName[],
    shards: config.shards,
    horizonMs: config.horizonMs,
    archive: {
      ...archive,
      lingerMs: config.archiveLingerMs,
      segmentRecords: config.archiveSegmentRecords,
      scrubEveryMs: config.archiveScrubMs,
      // A record may be archived as long as the log keeps it, and so after its document was erased.
      erasuresKeptMs: config.horizonMs,
    },
    promotion: {
      ...promotion,
      waitMs: config.promotionWaitMs,
      searcherLiveMs: config.searcherLiveMs,
    },
    limits: {
      ...limits,
      documentBytesMax: config.documentBytesMax,
      clockAheadMs: config.clockAheadMs,
    },
    indexer: {
      ...indexer,
      attemptsMax: config.attemptsMax,
      rates: {
        main: undefined,
        bulk: config.bulkRate,
        emergency: config.emergencyRate,
        failed: config.failedRate,
      },
    },
  };
};

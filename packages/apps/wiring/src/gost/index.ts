import { defineContext, storeOf } from '@doska/app-composition';
import { err } from 'neverthrow';
import { FEED_ANSWER_BYTES_MAX, largestViewBytes } from '@doska/core/gost';
import { gostSettingsOf } from './domain-settings.ts';
import { gostModule } from './module.ts';
import { loadGeocoder, settleExportShards } from './prepare.ts';
import { gostSettings } from './settings.ts';
import { GostTokens, type GostConfig } from './tokens.ts';

export { GostTokens, type GostConfig } from './tokens.ts';

const checkArchive = ({ archiveDays, bannedFeedDays }: GostConfig): readonly string[] =>
  archiveDays > 0 && archiveDays < bannedFeedDays
    ? [
        `DOSKA_GOST_ARCHIVE_DAYS: at least DOSKA_GOST_BANNED_FEED_DAYS (${bannedFeedDays}), or a banned offer is archived while its feed may still bring it back`,
      ]
    : [];

/** The answer to a feed has a head and the frames of its errors besides what is counted. */
const ANSWER_FRAME_BYTES = 64 * 1024;
/** Whatever the store accepts must fit the topics that it is sent to. */
const checkRecordBytes = (config: GostConfig, recordBytesMax: number): readonly string[] => {
  const view = largestViewBytes(gostSettingsOf(config).limits);
  const needed = Math.max(view, FEED_ANSWER_BYTES_MAX + ANSWER_FRAME_BYTES);
  return recordBytesMax < needed
    ? [
        `DOSKA_RECORD_BYTES_MAX: at least ${needed}: the largest offer takes ${view} bytes in its topic, and an answer to a feed up to ${FEED_ANSWER_BYTES_MAX + ANSWER_FRAME_BYTES}`,
      ]
    : [];
};

/** The offer store. An app that lists it lists the catalogue too: decisions about offers read it. */
export const gostWiring = defineContext({
  name: 'gost',
  title: 'Offer store (gost)',
  settings: gostSettings,
  check: ({ gost, recordBytesMax }) => [...checkRecordBytes(gost, recordBytesMax), ...checkArchive(gost)],
  store: (config) => storeOf(config, config.gost),
  module: (config) => gostModule(config.gost, storeOf(config, config.gost)),
  prepare: async (container) => {
    const geocoder = await loadGeocoder(container.get(GostTokens.config).placesFile);
    if (geocoder.isErr()) return err(geocoder.error);
    container.bind(GostTokens.geocoder).toConstantValue(geocoder.value);
    return settleExportShards(container.get(GostTokens.stores), container.get(GostTokens.settings).shards);
  },
});

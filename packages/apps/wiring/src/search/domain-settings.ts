import { defaultSearchSettings, type SearchSettings } from '@doska/core/search';
import type { SearchConfig } from './tokens.ts';

/** The settings of this installation over the defaults of the domain. */
export const searchSettingsOf = (config: SearchConfig): SearchSettings => ({
  ...defaultSearchSettings,
  rates: config.rates ?? defaultSearchSettings.rates,
  ranking: {
    recencyWeight: config.recencyWeight,
    recencyHalfLifeMs: config.recencyHalfLifeMs,
    ctrWeight: config.ctrWeight,
  },
  batch: {
    ...defaultSearchSettings.batch,
    documentsMax: config.batchDocuments,
    everyMs: config.batchEveryMs,
  },
  coverageMin: config.coverageMin,
  sellerOffersMax: config.sellerOffersMax,
  cardBytesMax: config.cardMb << 20,
});

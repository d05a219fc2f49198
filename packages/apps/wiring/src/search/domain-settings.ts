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
  parking: {
    ...defaultSearchSettings.parking,
    afterMs: config.parkAfterMs === 0 ? undefined : config.parkAfterMs,
    retry: { ...defaultSearchSettings.parking.retry, maxMs: config.parkRetryMaxMs },
  },
  ctr: {
    ...defaultSearchSettings.ctr,
    loadEveryMs: config.ctrLoadEveryMs,
    resendEveryMs: config.ctrResendEveryMs,
    graceMs: config.ctrGraceMs,
    rememberedMs: config.ctrRememberedMs,
  },
  coverageMin: config.coverageMin,
  sellerOffersMax: config.sellerOffersMax,
  cardBytesMax: config.cardMb << 20,
});

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
  audit:
    config.auditDays === 0
      ? undefined
      : {
          everyMs: 60_000,
          walkMs: config.auditDays * 86_400_000,
          repairs: config.auditRepair === 'on',
        },
  parking: {
    ...defaultSearchSettings.parking,
    afterMs: config.parkAfterMs === 0 ? undefined : config.parkAfterMs,
    retry: {
      ...defaultSearchSettings.parking.retry,
      firstMs: config.parkRetryMs,
      maxMs: config.parkRetryMaxMs,
    },
  },
  ctr: {
    ...defaultSearchSettings.ctr,
    loadEveryMs: config.ctrLoadEveryMs,
    resendEveryMs: config.ctrResendEveryMs,
    graceMs: config.ctrGraceMs,
    rememberedMs: config.ctrRememberedMs,
  },
  events: {
    ...defaultSearchSettings.events,
    isOn: config.events === 'on',
    lateMs: config.eventsLateMs,
    ratesEveryMs: config.eventsRatesMs,
    prior: { rate: config.eventsPriorRate, impressions: config.eventsPriorImpressions },
  },
  coverageMin: config.coverageMin,
  sellerOffersMax: config.sellerOffersMax,
  cardBytesMax: config.cardMb << 20,
});

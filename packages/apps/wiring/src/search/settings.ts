import { setting, storeSetting, wholeNumber } from '@doska/app-composition';
import { z } from 'zod';

const DAY_MS = 86_400_000;
const rates = z.string().transform((text, context): Record<string, number> => {
  const entries = text.split(',').map((pair) => pair.split('='));
  const isGood = entries.every(
    ([currency = '', rate]) =>
      /^[A-Z]{3}$/.test(currency) && Number(rate) > 0 && Number.isFinite(Number(rate)),
  );
  if (!isGood) context.addIssue({ code: 'custom', message: 'currencies with rates: RUB=1,USD=90.5' });
  return Object.fromEntries(entries.map(([currency = '', rate]) => [currency, Number(rate)] as const));
});
const weight = z.coerce.number().min(0).max(1_000_000);

export const searchSettings = {
  store: storeSetting('DOSKA_SEARCH_STORE', 'click rates and of offers that are parked'),
  gostUrl: setting(
    'DOSKA_SEARCH_GOST_URL',
    z.string().min(1).optional(),
    'The offer store (gRPC `host:port`) that the scheduler asks for offers.',
    { otherwise: 'the database' },
  ),
  vasgenUrl: setting(
    'DOSKA_SEARCH_VASGEN_URL',
    z.string().min(1).optional(),
    'The receiver of documents (gRPC `host:port`) that the scheduler asks for epochs.',
    { otherwise: 'the database' },
  ),
  searcherUrl: setting(
    'DOSKA_SEARCH_SEARCHER_URL',
    z.string().min(1).optional(),
    'The searcher (gRPC `host:port`) that the search API asks.',
    { otherwise: 'a searcher in the same process' },
  ),
  snippetsUrl: setting(
    'DOSKA_SEARCH_SNIPPETS_URL',
    z.string().min(1).optional(),
    'The snippet service (gRPC `host:port`) that the search API asks for snippets beside its answers.',
    { otherwise: 'the service of this process, if it has one; else answers have no snippets' },
  ),
  token: setting(
    'DOSKA_SEARCH_TOKEN',
    z.string().min(1).optional(),
    'The access token for these four. It needs the role `service`.',
    { secret: true },
  ),
  ratePerMinute: setting(
    'DOSKA_SEARCH_RATE_PER_MINUTE',
    wholeNumber(0, 1_000_000).default(600),
    'Searches without a token per minute per IP. 0 requires a token.',
  ),
  rates: setting(
    'DOSKA_SEARCH_RATES',
    rates.optional(),
    'What one unit of each currency is worth in the currency that prices are compared in. Offers in other currencies have no price to filter by.',
    { otherwise: 'RUB=1,USD=80,EUR=90,KZT=0.15,BYN=26' },
  ),
  recencyWeight: setting(
    'DOSKA_SEARCH_RECENCY_WEIGHT',
    weight.default(1),
    'How much a new offer gains in the ranking. Relevance is multiplied by up to 1 + this.',
  ),
  recencyHalfLifeMs: setting(
    'DOSKA_SEARCH_RECENCY_HALF_LIFE_MS',
    wholeNumber(1_000, 3_650 * DAY_MS).default(14 * DAY_MS),
    'The age at which half of that gain is left.',
  ),
  ctrWeight: setting(
    'DOSKA_SEARCH_CTR_WEIGHT',
    weight.default(2),
    'How much the click rate of an offer counts in the ranking.',
  ),
  coverageMin: setting(
    'DOSKA_SEARCH_COVERAGE_MIN',
    z.coerce.number().min(0).max(1).default(1),
    'The share of found offers whose categories must have an attribute before it is shown as a filter. 1: all of them.',
  ),
  sellerOffersMax: setting(
    'DOSKA_SEARCH_SELLER_OFFERS_MAX',
    wholeNumber(0, 1_000).default(0),
    'Offers of one seller on a page of a ranked answer. The others are held back, also from later pages. 0: no limit.',
  ),
  batchDocuments: setting(
    'DOSKA_SEARCH_BATCH_DOCUMENTS',
    wholeNumber(1, 1_000).default(200),
    'Documents that the scheduler sends in one batch at most.',
  ),
  batchEveryMs: setting(
    'DOSKA_SEARCH_BATCH_EVERY_MS',
    wholeNumber(0, 60_000).default(20),
    'A smaller batch is sent when this time has passed since the previous one.',
  ),
  parkAfterMs: setting(
    'DOSKA_SEARCH_PARK_AFTER_MS',
    wholeNumber(0, 30 * DAY_MS).default(0),
    'An offer that can not be converted and has blocked its partition for so long is parked, and the partition goes on. 0: the partition waits until the offer is mended or an operator parks it.',
  ),
  parkRetryMs: setting(
    'DOSKA_SEARCH_PARK_RETRY_MS',
    wholeNumber(100, DAY_MS).default(10_000),
    'The pause before the first retry of a parked offer. Every next one is twice as long.',
  ),
  parkRetryMaxMs: setting(
    'DOSKA_SEARCH_PARK_RETRY_MAX_MS',
    wholeNumber(10_000, 30 * DAY_MS).default(3_600_000),
    'The longest pause between two retries of a parked offer.',
  ),
  auditDays: setting(
    'DOSKA_SEARCH_AUDIT_DAYS',
    wholeNumber(0, 365).default(7),
    'How many days the audit takes to compare all offers with the serving index, a little every minute. 0: it does not run.',
  ),
  auditRepair: setting(
    'DOSKA_SEARCH_AUDIT_REPAIR',
    z.enum(['on', 'off']).default('on'),
    'Whether the audit sends what differs, or only counts it.',
  ),
  ctrDir: setting(
    'DOSKA_SEARCH_CTR_DIR',
    z.string().min(1).optional(),
    'A folder with tables of click rates: `weekly/*.csv` with the columns `offer_id,ctr`, `hourly/*.csv` with `offer_id`; or `.ndjson`.',
    {
      otherwise:
        'tables are made of impressions and clicks (DOSKA_SEARCH_EVENTS), or come by `doska ctr load`',
    },
  ),
  ctrLoadEveryMs: setting(
    'DOSKA_SEARCH_CTR_LOAD_EVERY_MS',
    wholeNumber(100, DAY_MS).default(60_000),
    'How often the scheduler looks for new tables of click rates.',
  ),
  ctrResendEveryMs: setting(
    'DOSKA_SEARCH_CTR_RESEND_EVERY_MS',
    wholeNumber(100, DAY_MS).default(5_000),
    'How often the scheduler sends the offers of hourly tables to the index again.',
  ),
  ctrGraceMs: setting(
    'DOSKA_SEARCH_CTR_GRACE_MS',
    wholeNumber(1_000, 30 * DAY_MS).default(600_000),
    'How long the click rates of a load are kept after a newer one is used. Longer than any conversion takes.',
  ),
  ctrRememberedMs: setting(
    'DOSKA_SEARCH_CTR_REMEMBERED_MS',
    wholeNumber(3_600_000, 365 * DAY_MS).default(2 * DAY_MS),
    'How long a loaded hourly table is remembered. Older tables are not loaded.',
  ),
  events: setting(
    'DOSKA_SEARCH_EVENTS',
    z.enum(['on', 'off']).default('on'),
    'Whether impressions and clicks are taken from clients. Without DOSKA_SEARCH_CTR_DIR the tables of click rates are made of them.',
  ),
  eventsLateMs: setting(
    'DOSKA_SEARCH_EVENTS_LATE_MS',
    wholeNumber(0, DAY_MS).default(600_000),
    'How long after an hour its impressions and clicks are waited for.',
  ),
  eventsRatesMs: setting(
    'DOSKA_SEARCH_EVENTS_RATES_MS',
    wholeNumber(1_000, 7 * DAY_MS).default(DAY_MS / 4),
    'How often click rates are made of the impressions and clicks of the last seven days.',
  ),
  eventsPriorRate: setting(
    'DOSKA_SEARCH_EVENTS_PRIOR_RATE',
    z.coerce.number().min(0).max(1).default(0.03),
    'The click rate that an offer begins with.',
  ),
  eventsPriorImpressions: setting(
    'DOSKA_SEARCH_EVENTS_PRIOR_IMPRESSIONS',
    wholeNumber(0, 1_000_000).default(50),
    'How many impressions that rate counts for. Few impressions of its own then change it little.',
  ),
  cardMb: setting(
    'DOSKA_SEARCH_CARD_MB',
    wholeNumber(0, 65_536).default(64),
    'Memory for cards of offers that were shown lately, in MB.',
  ),
};

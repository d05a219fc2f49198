export { openSearchApi, type SearchApi, type SearchApiPorts } from './open-search.ts';
export { openSearchScheduler, type SchedulerPorts, type SearchScheduler } from './open-search-scheduler.ts';
export { defaultSearchSettings, type SearchSettings } from './settings.ts';
export { cardOf, type OfferCard } from './cards/offer-card.ts';
export {
  CTR_ROWS_MAX,
  type ClickRateStore,
  type CtrQueue,
  type CtrStores,
  type QueuedOffer,
} from './ctr/ctr-stores.port.ts';
export {
  offerOf,
  rateOf,
  TABLE_KINDS,
  type BadLine,
  type OfferRate,
  type TableKind,
  type TableRow,
} from './ctr/table-rows.ts';
export {
  badLine,
  type BadTable,
  type TableInfo,
  type TableMoved,
  type TablePage,
  type TableSource,
} from './ctr/table-source.port.ts';
export type { HourlyLoad } from './ctr/ctr-record.store.ts';
export type { CtrState, LoadedEpoch, Loading, RefusedTable, TableVersion } from './ctr/ctr-state.ts';
export type { CtrStatus, ReadCtrStatus } from './ctr/ctr-status.use-case.ts';
export type { AppendHourly } from './ctr/load-hourly.use-case.ts';
export type { AppendError, AppendRates, LoadBusy, LoadMoved } from './ctr/load-rates.use-case.ts';
export type { CtrSettings } from './settings.ts';
export {
  COUNT_ROWS_MAX,
  type ClickCountStore,
  type Hours,
  type OfferCounts,
  type ShownOffer,
} from './events/click-counts.port.ts';
export type { RawEvents, RecordEvents, RecordEventsError } from './events/record-events.use-case.ts';
export {
  EVENT_KINDS,
  HOUR_MS,
  SEARCH_EVENTS,
  type EventKind,
  type EventSettings,
  type SearchEvent,
  type SearchEvents,
} from './events/search-event.ts';
export type { IndexEpochs } from './document/index-epochs.port.ts';
export { deletionOf, documentOf, type ComposedDocument, type LeftOut } from './document/offer-document.ts';
export {
  attributeField,
  OFFER_FIELDS,
  OFFERS_PLAN,
  offersPlans,
  offersSchema,
  type Ranking,
} from './document/offer-fields.ts';
export type { IndexedOffer, IndexedOffers, IndexedPage } from './reindex/indexed-offers.port.ts';
export type { AuditSettings } from './reindex/audit.job.ts';
export { REINDEX_MODES, type ReindexMode, type ReindexOffers } from './reindex/reindex-offers.use-case.ts';
export type { ReindexFinding, ReindexSlice } from './reindex/reindex-slice.ts';
export type { OfferPage, OfferSource } from './document/offer-source.port.ts';
export type { Rates } from './document/price.ts';
export {
  shownFilters,
  type FilterSpec,
  type FilterType,
  type FoundCategory,
  type HiddenFilter,
  type ShownFilters,
} from './filters/shown-filters.ts';
export { formatFilter, parseFilter, type ChosenFilter } from './query/filter-text.ts';
export type {
  CountedCategory,
  CountedFilter,
  CountedValue,
  FoundOffer,
  FoundOffers,
  SearchNote,
  UsedCorrection,
} from './query/found-offers.ts';
export type { AskedSnippets } from './query/read-snippets.use-case.ts';
export type { SnippetSource } from './query/snippet-source.port.ts';
export type { EpochGone, SearchIndex } from './query/search-index.port.ts';
export type { Exclusion, ExplainOffer, OfferExplanation } from './query/explain-offer.use-case.ts';
export type { ExplainFilter, GetFilters } from './filters/ask-filters.use-case.ts';
export { explainFilter, type FilterExplanation } from './filters/explain-filter.ts';
export type { SearchOffers, SearchOffersError } from './query/search-offers.use-case.ts';
export type { Highlight } from './cards/highlights.ts';
export {
  correctText,
  type CorrectedWord,
  type Correction,
  type Dictionary,
  type SpellingReason,
} from './spelling/spell-checker.ts';
export type { Suggest, Suggestion, Suggestions } from './suggest/suggest.use-case.ts';
export { WordPrefixes } from './suggest/word-prefixes.ts';
export { WordIndex, type KnownWord } from './spelling/word-index.ts';
export { SORTS, type RawQuery, type Sort } from './query/search-query.ts';
export { OFFERS_CLIENT } from './scheduler/offers-client.ts';
export {
  PARK_CAUSES,
  PARKED_ROWS_MAX,
  type ParkCause,
  type ParkedChange,
  type ParkedOffer,
  type Parking,
  type ParkingLot,
} from './parking/parking-lot.port.ts';
export type { NotParked, ParkingSettings } from './parking/parked-offers.use-case.ts';

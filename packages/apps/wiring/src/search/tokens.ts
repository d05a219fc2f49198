import { token } from '@doska/app-composition';
import type {
  ClickCountStore,
  CtrStores,
  IndexedOffers,
  IndexEpochs,
  OfferSource,
  ParkingLot,
  SearchApi,
  SearchScheduler,
  SearchIndex,
  SearchSettings,
  SnippetSource,
} from '@doska/core/search';
import type { z } from 'zod';
import type { searchSettings } from './settings.ts';

export type SearchConfig = z.infer<z.ZodObject<typeof searchSettings>>;

export const SearchTokens = {
  config: token<SearchConfig>('search.config'),
  settings: token<SearchSettings>('search.settings'),
  index: token<SearchIndex>('search.index'),
  snippets: token<SnippetSource | undefined>('search.snippets'),
  epochs: token<IndexEpochs>('search.epochs'),
  api: token<SearchApi>('search.api'),
  scheduler: token<SearchScheduler>('search.scheduler'),
  indexed: token<IndexedOffers>('search.indexed'),
  offers: token<OfferSource>('search.offers'),
  ctr: token<CtrStores>('search.ctr'),
  lot: token<ParkingLot>('search.lot'),
  clicks: token<ClickCountStore>('search.clicks'),
} as const;

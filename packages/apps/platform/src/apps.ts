import { catalogApi } from '@doska/app-catalog-api';
import type { App } from '@doska/app-composition';
import { feedLoader } from '@doska/app-feed-loader';
import { feedProcessor } from '@doska/app-feed-processor';
import { feedsApi } from '@doska/app-feeds-api';
import { gostApi } from '@doska/app-gost-api';
import { gostScheduler } from '@doska/app-gost-scheduler';
import { operations } from '@doska/app-operations';
import { photos } from '@doska/app-photos';
import { snippets } from '@doska/app-snippets';
import { searchApi } from '@doska/app-search-api';
import { searchScheduler } from '@doska/app-search-scheduler';
import { vasgenIndexer } from '@doska/app-vasgen-indexer';
import { vasgenReceiver } from '@doska/app-vasgen-receiver';
import { vasgenSearcher } from '@doska/app-vasgen-searcher';

/** Everything that `npm start` runs in one process. */
export const apps: readonly App[] = [
  catalogApi,
  gostApi,
  gostScheduler,
  photos,
  snippets,
  feedsApi,
  feedLoader,
  feedProcessor,
  vasgenReceiver,
  vasgenIndexer,
  vasgenSearcher,
  searchScheduler,
  searchApi,
  operations,
];

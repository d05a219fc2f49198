import { searchService } from '@doska/adapters-grpc';
import { topicSpec, type App, type Part } from '@doska/app-composition';
import { catalogCachePart, CatalogTokens, catalogWiring } from '@doska/app-wiring/catalog';
import { gostWiring } from '@doska/app-wiring/gost';
import { SearchTokens, searchWiring } from '@doska/app-wiring/search';
import {
  indexTopics,
  searcherPart,
  searcherReady,
  VasgenTokens,
  vasgenWiring,
} from '@doska/app-wiring/vasgen';
import { SEARCH_EVENTS } from '@doska/core/search';

const NAME = 'search-api';

/** Answers buyers. Without DOSKA_SEARCH_SEARCHER_URL the process runs a searcher of its own. */
export const searchApi: App = {
  name: NAME,
  summary: 'Answers buyers: search by text, category and filters.',
  contexts: [catalogWiring, gostWiring, vasgenWiring, searchWiring],
  topics: (config) => [...indexTopics(config), topicSpec(config, SEARCH_EVENTS)],
  parts: (container) => {
    const { searcherUrl } = container.get(SearchTokens.config);
    const cache = catalogCachePart(NAME, container.get(CatalogTokens.cache));
    const dictionary: Part = {
      app: NAME,
      name: 'search-dictionary',
      run: (signal, ready) => {
        ready();
        return container.get(SearchTokens.api).keepDictionary(signal);
      },
    };
    return searcherUrl === undefined
      ? [cache, dictionary, searcherPart(NAME, container.get(VasgenTokens.searcher))]
      : [cache, dictionary];
  },
  services: (container) => {
    const { ratePerMinute } = container.get(SearchTokens.config);
    return [searchService({ ...container.get(SearchTokens.api), ratePerMinute })];
  },
  readiness: (container) =>
    container.get(SearchTokens.config).searcherUrl === undefined
      ? { searcher: searcherReady(container.get(VasgenTokens.searcher)) }
      : {},
};

import { searchService } from '@doska/adapters-grpc';
import { cardCodec } from '@doska/adapters-proto';
import { russianEnglishAnalyzer } from '@doska/adapters-text';
import { Tokens, type App } from '@doska/app-composition';
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
import { openSearchApi } from '@doska/core/search';

const NAME = 'search-api';

/** Answers buyers. Without DOSKA_SEARCH_SEARCHER_URL the process runs a searcher of its own. */
export const searchApi: App = {
  name: NAME,
  summary: 'Answers buyers: search by text, category and filters.',
  contexts: [catalogWiring, gostWiring, vasgenWiring, searchWiring],
  topics: indexTopics,
  parts: (container) => {
    const { searcherUrl } = container.get(SearchTokens.config);
    const cache = catalogCachePart(NAME, container.get(CatalogTokens.cache));
    return searcherUrl === undefined
      ? [cache, searcherPart(NAME, container.get(VasgenTokens.searcher))]
      : [cache];
  },
  services: (container) => {
    const { ratePerMinute } = container.get(SearchTokens.config);
    const api = openSearchApi(
      {
        index: container.get(SearchTokens.index),
        catalog: container.get(CatalogTokens.cache),
        analyzer: russianEnglishAnalyzer(),
        signer: container.get(Tokens.signer),
        cards: cardCodec,
        clock: container.get(Tokens.clock),
        telemetry: container.get(Tokens.telemetry),
      },
      container.get(SearchTokens.settings),
    );
    return [searchService({ ...api, ratePerMinute })];
  },
  readiness: (container) =>
    container.get(SearchTokens.config).searcherUrl === undefined
      ? { searcher: searcherReady(container.get(VasgenTokens.searcher)) }
      : {},
};

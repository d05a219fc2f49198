import { searcherService } from '@doska/adapters-grpc';
import { vasgenCodecs } from '@doska/adapters-proto';
import type { App } from '@doska/app-composition';
import {
  indexTopics,
  searcherPart,
  searcherReady,
  VasgenTokens,
  vasgenWiring,
} from '@doska/app-wiring/vasgen';
import { indexedOf } from '@doska/core/vasgen';

const NAME = 'vasgen-searcher';

/** Keeps an index for each living epoch of every client. Each process has a folder and an index of its own. */
export const vasgenSearcher: App = {
  name: NAME,
  summary: 'Keeps a search index up to date and answers queries.',
  contexts: [vasgenWiring],
  topics: indexTopics,
  parts: (container) => [searcherPart(NAME, container.get(VasgenTokens.searcher))],
  services: (container) => [
    searcherService({
      ...container.get(VasgenTokens.vasgen).useCases,
      searcher: container.get(VasgenTokens.searcher),
      indexedOf: (row) => indexedOf(row, vasgenCodecs.document),
    }),
  ],
  readiness: (container) => ({ searcher: searcherReady(container.get(VasgenTokens.searcher)) }),
};

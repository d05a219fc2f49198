import { defineContext, storeOf } from '@doska/app-composition';
import { searchModule } from './module.ts';
import { searchSettings } from './settings.ts';

export { SearchTokens, type SearchConfig } from './tokens.ts';

/** Search. An app that lists it lists the contexts that it asks in its own process. */
export const searchWiring = defineContext({
  name: 'search',
  title: 'Search',
  settings: searchSettings,
  store: (config) => storeOf(config, config.search),
  module: (config) => searchModule(config.search, storeOf(config, config.search)),
});

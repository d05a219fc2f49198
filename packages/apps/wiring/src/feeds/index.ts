import { defineContext } from '@doska/app-composition';
import { feedsModule } from './module.ts';
import { feedsSettings } from './settings.ts';

export { FeedsTokens, type FeedsConfig } from './tokens.ts';

export const feedsWiring = defineContext({
  name: 'feeds',
  title: 'Feeds',
  settings: feedsSettings,
  module: ({ feeds }) => feedsModule(feeds),
});

import { feedService } from '@doska/adapters-grpc';
import { type App } from '@doska/app-composition';
import { catalogWiring } from '@doska/app-wiring/catalog';
import { FeedsTokens, feedsWiring } from '@doska/app-wiring/feeds';
import { gostWiring } from '@doska/app-wiring/gost';
import { exportRoutes } from './export.route.ts';
import { uploadRoutes } from './upload.route.ts';

/** Feeds for sellers, services and operators. */
export const feedsApi: App = {
  name: 'feeds-api',
  summary: 'Feeds of sellers: set, upload, watch loads, read errors.',
  contexts: [catalogWiring, gostWiring, feedsWiring],
  services: (container) => {
    const { downloadMsMax } = container.get(FeedsTokens.config);
    return [feedService(container.get(FeedsTokens.feeds).useCases, downloadMsMax)];
  },
  http: (container) => {
    const { fileBytesMax, downloadMsMax } = container.get(FeedsTokens.config);
    const { useCases } = container.get(FeedsTokens.feeds);
    const bounds = { bytesMax: fileBytesMax, msMax: downloadMsMax };
    return [...uploadRoutes(useCases, bounds), ...exportRoutes(useCases, downloadMsMax)];
  },
};

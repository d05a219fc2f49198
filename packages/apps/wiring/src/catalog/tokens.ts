import { token } from '@doska/app-composition';
import type { CatalogCache, CatalogContext, CatalogStore } from '@doska/core/catalog';
import type { z } from 'zod';
import type { catalogSettings } from './settings.ts';

export type CatalogConfig = z.infer<z.ZodObject<typeof catalogSettings>>;

export const CatalogTokens = {
  config: token<CatalogConfig>('catalog.config'),
  store: token<CatalogStore>('catalog.store'),
  catalog: token<CatalogContext>('catalog'),
  /** The newest copy of the catalogue. It stays empty unless the process runs `catalogCachePart`. */
  cache: token<CatalogCache>('catalog.cache'),
} as const;

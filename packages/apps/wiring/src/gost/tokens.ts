import { token } from '@doska/app-composition';
import type { Geocoder, Gost, GostSettings, GostStores } from '@doska/core/gost';
import type { z } from 'zod';
import type { gostSettings } from './settings.ts';

export type GostConfig = z.infer<z.ZodObject<typeof gostSettings>>;

export const GostTokens = {
  /** The settings of this installation. */
  config: token<GostConfig>('gost.config'),
  /** The same settings in the domain's terms. */
  settings: token<GostSettings>('gost.settings'),
  /** The database. Use `gost` for everything but checks at start. */
  stores: token<GostStores>('gost.stores'),
  geocoder: token<Geocoder>('gost.geocoder'),
  /** The offer store of the process: use cases and workers. */
  gost: token<Gost>('gost'),
} as const;

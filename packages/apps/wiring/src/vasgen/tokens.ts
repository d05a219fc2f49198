import { token } from '@doska/app-composition';
import type { EngineSource, Searcher, Vasgen, VasgenSettings, VasgenStores } from '@doska/core/vasgen';
import type { z } from 'zod';
import type { vasgenSettings } from './settings.ts';

export type VasgenConfig = z.infer<z.ZodObject<typeof vasgenSettings>>;

export const VasgenTokens = {
  config: token<VasgenConfig>('vasgen.config'),
  settings: token<VasgenSettings>('vasgen.settings'),
  stores: token<VasgenStores>('vasgen.stores'),
  /** Indexing of the process: use cases and workers. */
  vasgen: token<Vasgen>('vasgen'),
  engines: token<EngineSource>('vasgen.engines'),
  /** The searcher of the process. It answers while `searcherPart` runs. */
  searcher: token<Searcher>('vasgen.searcher'),
} as const;

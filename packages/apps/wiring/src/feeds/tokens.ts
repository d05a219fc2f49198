import { token } from '@doska/app-composition';
import type { Feeds } from '@doska/core/feeds';
import type { z } from 'zod';
import type { feedsSettings } from './settings.ts';

export type FeedsConfig = z.infer<z.ZodObject<typeof feedsSettings>>;

export const FeedsTokens = {
  config: token<FeedsConfig>('feeds.config'),
  /** The feeds of the process: use cases and workers. */
  feeds: token<Feeds>('feeds'),
} as const;

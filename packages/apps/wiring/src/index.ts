import type { ConfigOf } from '@doska/app-composition';
import { catalogWiring } from './catalog/index.ts';
import { feedsWiring } from './feeds/index.ts';
import { gostWiring } from './gost/index.ts';
import { photosWiring } from './photos/index.ts';
import { snippetsWiring } from './snippets/index.ts';
import { searchWiring } from './search/index.ts';
import { vasgenWiring } from './vasgen/index.ts';

/** Every context of the platform. A process accepts the settings of all of them, also if it runs one app. */
export const contexts = [
  catalogWiring,
  gostWiring,
  photosWiring,
  vasgenWiring,
  searchWiring,
  snippetsWiring,
  feedsWiring,
] as const;
export type DoskaConfig = ConfigOf<typeof contexts>;

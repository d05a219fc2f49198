import { defineContext } from '@doska/app-composition';
import { photosModule } from './module.ts';
import { photosSettings } from './settings.ts';

export { PhotosTokens, type PhotosConfig } from './tokens.ts';

export const photosWiring = defineContext({
  name: 'photos',
  title: 'Photos',
  settings: photosSettings,
  module: ({ photos }) => photosModule(photos),
});

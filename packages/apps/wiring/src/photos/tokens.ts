import { token } from '@doska/app-composition';
import type { ImageProcessor, Photos } from '@doska/core/photos';
import type { z } from 'zod';
import type { photosSettings } from './settings.ts';

export type PhotosConfig = z.infer<z.ZodObject<typeof photosSettings>>;

export const PhotosTokens = {
  config: token<PhotosConfig>('photos.config'),
  processor: token<ImageProcessor>('photos.processor'),
  /** The photo service of the process: worker and route share its caches. */
  photos: token<Photos>('photos'),
} as const;

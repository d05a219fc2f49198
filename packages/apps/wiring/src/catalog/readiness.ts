import { notReady, type ReadinessCheck } from '@doska/app-composition';
import type { CatalogCache } from '@doska/core/catalog';

/** For apps whose calls fail without a catalogue. The catalogue's own service is none: it takes the first publish. */
export const catalogLoaded =
  (cache: CatalogCache): ReadinessCheck =>
  async () =>
    cache
      .copy()
      .mapErr(() => notReady('no catalogue is loaded; publish one with `doska catalog publish DIR`'));

import { catalogApi } from '@doska/app-catalog-api';
import type { App } from '@doska/app-composition';
import { gostApi } from '@doska/app-gost-api';
import { gostScheduler } from '@doska/app-gost-scheduler';
import { operations } from '@doska/app-operations';
import { photos } from '@doska/app-photos';

/** Everything that `npm start` runs in one process. */
export const apps: readonly App[] = [catalogApi, gostApi, gostScheduler, photos, operations];

import { operations } from '@doska/app-operations';
import type { App } from '@doska/app-composition';

/** Everything that `npm start` runs in one process. */
export const apps: readonly App[] = [operations];

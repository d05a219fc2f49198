import { z } from 'zod';
import { setting } from './setting.ts';

export type Store = 'postgres' | 'ydb';
export const stores = z.enum(['postgres', 'ydb']);

/** The store of one context. `what` names the data in the documentation. */
export const storeSetting = (env: string, what: string) =>
  setting(
    env,
    stores.optional(),
    `The database of ${what}: \`postgres\` is the database of the platform, \`ydb\` your YDB.`,
    { otherwise: 'DOSKA_STORE' },
  );
/** The store that a context was given, or else the platform's. */
export const storeOf = (
  platform: { readonly store: Store },
  context: { readonly store?: Store | undefined },
): Store => context.store ?? platform.store;

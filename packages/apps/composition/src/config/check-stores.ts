import type { ContextWiring } from '../context.ts';
import type { Config } from './config.ts';

/** Whether the process must open YDB and bring its tables up to date. */
export const usesYdb = (config: Config, contexts: readonly ContextWiring[]): boolean =>
  config.store === 'ydb' || contexts.some((context) => context.store?.(config) === 'ydb');

/** YDB needs an address. Names the settings that ask for it. */
export const checkStores = (config: Config, contexts: readonly ContextWiring[]): readonly string[] => {
  if (config.ydbConnectionString !== undefined || !usesYdb(config, contexts)) return [];
  const asking =
    config.store === 'ydb'
      ? ['DOSKA_STORE=ydb']
      : contexts
          .filter((context) => context.store?.(config) === 'ydb')
          .map(({ name }) => `DOSKA_${name.toUpperCase()}_STORE=ydb`);
  return [`YDB_CONNECTION_STRING: needed by ${asking.join(', ')}`];
};

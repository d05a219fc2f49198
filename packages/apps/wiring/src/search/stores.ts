import { pgClickCounts, pgCtrStores, pgParkingLot } from '@doska/adapters-pg';
import { ydbCtrStores, ydbParkingLot } from '@doska/adapters-ydb';
import { Tokens, type Store } from '@doska/app-composition';
import type { ContainerModuleLoadOptions } from 'inversify';
import { SearchTokens } from './tokens.ts';

/** Click rates and parked offers, on the configured database. Impressions and clicks are counted in PostgreSQL. */
export const bindSearchStores = (bind: ContainerModuleLoadOptions['bind'], store: Store): void => {
  bind(SearchTokens.clicks)
    .toResolvedValue((pool) => pgClickCounts(pool), [Tokens.pool])
    .inSingletonScope();
  if (store === 'ydb') {
    bind(SearchTokens.ctr)
      .toResolvedValue((client) => ydbCtrStores(client), [Tokens.ydb])
      .inSingletonScope();
    bind(SearchTokens.lot)
      .toResolvedValue((client) => ydbParkingLot(client), [Tokens.ydb])
      .inSingletonScope();
    return;
  }
  bind(SearchTokens.ctr)
    .toResolvedValue((pool) => pgCtrStores(pool), [Tokens.pool])
    .inSingletonScope();
  bind(SearchTokens.lot)
    .toResolvedValue((pool) => pgParkingLot(pool), [Tokens.pool])
    .inSingletonScope();
};
